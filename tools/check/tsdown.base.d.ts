import type { UserConfig } from 'tsdown'
/** How every published package is built: ESM, one file per entry plus what they share, declarations bundled. */
export declare const base: (entry: Record<string, string>) => UserConfig
/**
 * How a client is built: its validators are bundled in, written against the same schemas but bound to `zod/mini`, a
 * third of the size of `zod`. The runtime stays outside, so that there is one copy of it. Declarations are made in a
 * pass of their own, in which zod stays outside: nothing public of a client is typed by it.
 */
export declare const client: (entry: Record<string, string>) => UserConfig[]
