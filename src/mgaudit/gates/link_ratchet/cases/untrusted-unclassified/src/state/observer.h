#pragma once

namespace mg::state {

class Observer {
public:
    explicit Observer(int id);
    virtual ~Observer();
    int Id() const { return m_id; }

private:
    int m_id;
};

int Attach(int id);

} // namespace mg::state
