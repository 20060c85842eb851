import CSodium
import Glibc
package import Relux
import ReluxOutput
import ReluxSystem

/// Seals secrets with the cluster's key: XChaCha20-Poly1305 under a nonce that is a keyed hash of the plain bytes.
///
/// So equal secrets have equal sealed bytes, as the journal's recognition of a repeated emission needs; nothing else is shown.
/// Bytes: nonce (24) | cipher text and tag. Source: libsodium's `crypto_aead_xchacha20poly1305_ietf`, `crypto_generichash`.
package struct ClusterSealer: Relux.SecretSealing {
    package static let keyByteCount = 32
    private static let nonceByteCount = 24
    private static let tagByteCount = 16

    private static let nameByteCount = 16
    private static let context = Array("relux key name".utf8)

    private let key: [UInt8]
    /// The same for the same key, and different for another: 32 hexadecimal digits.
    package let name: String

    /// - Throws: `Relux.Failure` when the key has another length or libsodium cannot start.
    package init(key: [UInt8]) throws(Relux.Failure) {
        guard sodium_init() >= 0 else { throw Self.failure("libsodium could not be initialised; install libsodium23") }
        guard key.count == Self.keyByteCount else {
            throw Self.failure("the cluster's key has \(key.count) bytes instead of \(Self.keyByteCount)")
        }
        self.key = key
        // Which key it is, and nothing of it.
        var digest = [UInt8](repeating: 0, count: Self.nameByteCount)
        crypto_generichash(&digest, digest.count, Self.context, UInt64(Self.context.count), key, key.count)
        name = digest.map { byte in String(byte >> 4, radix: 16) + String(byte & 15, radix: 16) }.joined()
    }

    /// - Throws: `Relux.Failure` naming the file when it cannot be read or others may read it.
    package init(keyFile path: String) throws(Relux.Failure) {
        let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        let number = errno
        defer { if descriptor >= 0 { close(descriptor) } }
        var status = stat()
        // A link that leads to a file is followed: the key may be kept elsewhere.
        guard descriptor >= 0, fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            guard let stranger = FilePlace.stranger(path) else {
                throw Self.failure("the cluster's key \(path) cannot be read: \(String(cString: strerror(number)))")
            }
            let what = stranger + (stranger == FilePlace.link ? " that leads to no file which can be read" : "")
            throw Self.failure("the cluster's key \(path) is \(what); move it away, and put the key there")
        }
        guard status.st_mode & 0o077 == 0 else {
            throw Self.failure("the cluster's key \(path) may be read by others; chmod 600 it, and start again")
        }
        guard status.st_size == Self.keyByteCount else {
            throw Self.failure(
                "the cluster's key \(path) has \(status.st_size) bytes instead of \(Self.keyByteCount); put the right one back: nobody else can open "
                    + "what was sealed with it")
        }
        var bytes = [UInt8](repeating: 0, count: Self.keyByteCount)
        let count = read(descriptor, &bytes, bytes.count)
        try self.init(key: Array(bytes.prefix(max(0, count))))
    }

    /// Makes the key file unless it exists; another process may do so at the same time.
    package static func makeKeyFile(_ path: String) throws(Relux.Failure) {
        guard sodium_init() >= 0 else { throw failure("libsodium could not be initialised; install libsodium23") }
        var key = [UInt8](repeating: 0, count: keyByteCount)
        randombytes_buf(&key, key.count)
        try write(key, to: path)
    }

    /// Writes the key again where its file is gone: without it the next process could not read what others have sealed.
    ///
    /// - Returns: whether it was gone.
    package func keepKey(in path: String) throws(Relux.Failure) -> Bool {
        var found = stat()
        guard lstat(path, &found) != 0, errno == ENOENT else { return false }
        try Self.write(key, to: path)
        return true
    }

    private static func write(_ key: [UInt8], to path: String) throws(Relux.Failure) {
        let temporary = "\(path).\(getpid())"
        // Left by an earlier process of this number.
        FilePlace.clear(temporary)
        unlink(temporary)
        let descriptor = Glibc.open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw failure("the cluster's key \(temporary) cannot be made: \(String(cString: strerror(errno)))")
        }
        let refusal = Descriptor.write(key, to: descriptor)
        let isStored = refusal == 0 && fsync(descriptor) == 0
        let number = refusal == 0 ? errno : refusal
        close(descriptor)
        defer { unlink(temporary) }
        guard isStored else { throw failure("the cluster's key \(temporary) could not be written: \(String(cString: strerror(number)))") }
        // link fails where the name exists already: the first one wins.
        guard link(temporary, path) == 0 || errno == EEXIST else {
            throw failure("the cluster's key \(path) cannot be made: \(String(cString: strerror(errno)))")
        }
    }

    package func seal(_ plain: [UInt8]) throws -> [UInt8] {
        var nonce = [UInt8](repeating: 0, count: Self.nonceByteCount)
        crypto_generichash(&nonce, nonce.count, plain, UInt64(plain.count), key, key.count)
        var cipher = [UInt8](repeating: 0, count: plain.count + Self.tagByteCount)
        var count: UInt64 = 0
        crypto_aead_xchacha20poly1305_ietf_encrypt(&cipher, &count, plain, UInt64(plain.count), nil, 0, nil, nonce, key)
        return nonce + cipher.prefix(Int(count))
    }

    package func open(_ sealed: [UInt8]) throws -> [UInt8] {
        guard sealed.count >= Self.nonceByteCount + Self.tagByteCount else {
            throw Self.failure("a sealed secret of \(sealed.count) bytes is too short")
        }
        let nonce = Array(sealed.prefix(Self.nonceByteCount))
        let cipher = Array(sealed.dropFirst(Self.nonceByteCount))
        var plain = [UInt8](repeating: 0, count: cipher.count - Self.tagByteCount)
        var count: UInt64 = 0
        let code = crypto_aead_xchacha20poly1305_ietf_decrypt(
            &plain, &count, nil, cipher, UInt64(cipher.count), nil, 0, nonce, key)
        guard code == 0 else {
            throw Self.failure("a secret was sealed with another key, or was changed on its way")
        }
        return Array(plain.prefix(Int(count)))
    }

    private static func failure(_ message: String) -> Relux.Failure {
        Relux.Failure(domain: "relux", code: "sealing", message: message)
    }
}
