import * as nodeModule from 'node:module'

let isUsed = false

/**
 * Makes hey-api load the TypeScript that this package depends on. The project's TypeScript may be version 7, which
 * lacks functions that hey-api calls.
 */
export function useOwnCompiler(): void {
  if (isUsed) return
  isUsed = true
  // Runtimes other than Node may lack `registerHooks`.
  nodeModule.registerHooks?.({
    resolve: (specifier, context, next) =>
      specifier === 'typescript' && context.parentURL?.includes('/@hey-api/') === true
        ? next(specifier, { ...context, parentURL: import.meta.url })
        : next(specifier, context),
  })
}
