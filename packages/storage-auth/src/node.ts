import { fileTokenStore, type FileTokenStoreOptions } from '@concord/runtime/session/node'
import type { TokenStore } from '@concord/runtime/session'

/**
 * Creates a store that keeps the session in a file. All processes that use the same path share the session. Only the
 * user account that runs the process can read the file.
 *
 * ```ts
 * import { StorageAuth } from '@concord/storage-auth'
 * import { fileStore } from '@concord/storage-auth/node'
 *
 * const storage = new StorageAuth({
 *   authUrl: 'https://auth.storage.example',
 *   dataUrl: 'https://data.storage.example',
 *   store: fileStore('.storage/session.json'),
 * })
 * ```
 *
 * The file is replaced as a whole (mode 0600). The folder `<path>.lock` next to the file contains the lock that makes
 * processes take turns. It also contains a log of the requests that count toward the rate limit. A file that other
 * users can read is rejected. If a process is killed, another process takes over its lock.
 *
 * @public
 */
export function fileStore(path: string, options?: FileTokenStoreOptions): TokenStore {
  return fileTokenStore(path, options)
}
export type { FileTokenStoreOptions }
