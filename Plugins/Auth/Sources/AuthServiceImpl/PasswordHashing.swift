internal import AuthModels
internal import CSodium
internal import Dispatch
internal import Synchronization

/// Argon2id through libsodium.
///
/// One hash costs some 64 MiB and tens of milliseconds, so hashes run one after another on a queue of their own: many logins at
/// once neither multiply the memory nor hold the threads that other handlers of the process need.
final class PasswordHashing: Sendable {
    private let queue = DispatchQueue(label: "auth.passwords")
    /// Compared with the password of an unknown name, so that this takes as long. Made once, on the queue.
    private let decoy = Mutex<String?>(nil)

    func hash(_ password: String) async throws(Auth.Business.Model.Failure) -> String {
        try await onQueue { Self.hash(password) }
    }

    /// Whether the password is the one that was hashed; with no hash, false after the same work.
    func verify(_ password: String, against hash: String?) async throws(Auth.Business.Model.Failure) -> Bool {
        try await onQueue { [self] in
            let decoyHash = decoy.withLock { decoy in
                if decoy == nil { decoy = Self.hash(Token.make()) }
                return decoy
            }
            guard let compared = hash ?? decoyHash else { return nil }
            let matches = password.withCString { crypto_pwhash_str_verify(compared, $0, UInt64(password.utf8.count)) == 0 }
            return hash != nil && matches
        }
    }

    private func onQueue<T: Sendable>(
        _ work: @escaping @Sendable () -> T?
    ) async throws(Auth.Business.Model.Failure) -> T {
        let result: T? = await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: Sodium.isReady ? work() : nil) }
        }
        guard let result else {
            throw Auth.Business.Model.Failure(
                code: .storage, message: "the password could not be hashed: 64 MiB of memory are needed; free some and try again"
            )
        }
        return result
    }

    private static func hash(_ password: String) -> String? {
        var text = [CChar](repeating: 0, count: crypto_pwhash_strbytes())
        let status = password.withCString {
            crypto_pwhash_str(
                &text, $0, UInt64(password.utf8.count), UInt64(crypto_pwhash_opslimit_interactive()),
                crypto_pwhash_memlimit_interactive()
            )
        }
        guard status == 0 else { return nil }
        return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}

/// The library must be initialised before its first use; a second initialisation is free.
enum Sodium {
    static let isReady = sodium_init() >= 0
}
