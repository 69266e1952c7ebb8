import * as nodeModule from 'node:module'

let isUsed = false

/**
 * Lets hey-api use the TypeScript that this package depends on. It would take the one of the project that it is installed in, and
 * TypeScript 7 doesn't have the functions that it calls. Nothing else is affected.
 */
export function useOwnCompiler(): void {
  if (isUsed) return
  isUsed = true
  // Other runtimes than Node may not have it.
  nodeModule.registerHooks?.({
    resolve: (specifier, context, next) =>
      specifier === 'typescript' && context.parentURL?.includes('/@hey-api/') === true
        ? next(specifier, { ...context, parentURL: import.meta.url })
        : next(specifier, context),
  })
}
