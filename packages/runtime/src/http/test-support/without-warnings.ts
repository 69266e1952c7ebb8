import { vi } from 'vitest'

/** Loads the fixtures anew, with a client that has emitted no process warning yet. Each place gets one in a process. */
export async function withoutWarnings(): Promise<typeof import('./fixtures.ts')> {
  vi.resetModules()
  return import('./fixtures.ts')
}
