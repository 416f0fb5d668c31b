#pragma once

namespace mg::state {

class Observer {
public:
    int Id() const { return m_id; }

private:
    int m_id = 0;
};

} // namespace mg::state
