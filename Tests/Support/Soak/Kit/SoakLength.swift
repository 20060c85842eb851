import Glibc

/// How long soaks are: short in every run of the tests, long in `deploy/test --full`.
package enum SoakLength {
    package static var isFull: Bool { getenv("RELUX_TEST_FULL") != nil }

    package static func of(_ short: Int, full: Int) -> Int { isFull ? full : short }
}
