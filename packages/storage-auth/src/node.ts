import { fileTokenStore, type FileTokenStoreOptions } from '@concord/runtime/session/node'
import type { TokenStore } from '@concord/runtime/session'

/**
 * Keeps the session in a file that only this user can read, for all processes that name the same file.
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
 * The file is replaced as a whole (mode 0600); a folder beside it, `<path>.lock`, excludes processes from each other and
 * counts their requests. A file that others can read is refused. The lock of a process that was killed is taken over.
 *
 * @public
 */
export function fileStore(path: string, options?: FileTokenStoreOptions): TokenStore {
  return fileTokenStore(path, options)
}
export type { FileTokenStoreOptions }
