#pragma once

#include <array>
#include <atomic>
#include <cstdint>

namespace mg::state {

class Counted {
public:
    void Touch(int index) {
        m_added += 1;
        m_assigned = static_cast<std::uint16_t>(m_assigned + 1);
        m_atomic.fetch_add(1);
        ++m_each[index];
        Bump(m_helped);
    }
    std::uint16_t Added() const { return m_added; }
    std::uint16_t Assigned() const { return m_assigned; }
    std::uint16_t Atomic() const { return m_atomic.load(); }
    std::uint16_t Helped() const { return m_helped; }
    const std::array<std::uint16_t, 4>& Each() const { return m_each; }

private:
    static void Bump(std::uint16_t& counter) { ++counter; }

    std::uint16_t m_added = 0;
    std::uint16_t m_assigned = 0;
    std::atomic<std::uint16_t> m_atomic{0};
    std::uint16_t m_helped = 0;
    std::array<std::uint16_t, 4> m_each{};
};

}  // namespace mg::state
