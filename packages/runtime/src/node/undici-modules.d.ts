// The single modules of undici that are loaded; see `undici.ts` for why.
declare module 'undici/lib/dispatcher/pool.js' {
  import type { Pool } from 'undici'
  const pool: typeof Pool
  export default pool
}
declare module 'undici/lib/core/connect.js' {
  import type { buildConnector } from 'undici'
  const build: typeof buildConnector
  export default build
}
