import 'vitest'

declare module 'vitest' {
  interface ProvidedContext {
    /** What stands in the place of zod in this run. */
    readonly zod: 'zod' | 'zod-lowest' | 'zod/mini'
  }
}
