import { createEmulator } from '@concord/emulator'
import type { TestProject } from 'vitest/node'

/** Serves the emulator once, in the process of vitest, and provides its URLs to all tests. */
export default async function serveEmulator(project: TestProject): Promise<() => Promise<void>> {
  const emulator = await createEmulator({
    cors: true,
    extraction: { choices: { courseOf: () => ({ queuedMs: 1, processingMs: 1 }) } },
  })
  project.provide('served', JSON.parse(JSON.stringify(await emulator.serve())))
  return () => emulator.close()
}

declare module 'vitest' {
  export interface ProvidedContext {
    served: Awaited<ReturnType<Awaited<ReturnType<typeof createEmulator>>['serve']>>
  }
}
