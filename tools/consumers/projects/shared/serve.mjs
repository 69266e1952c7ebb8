// Serves all services until its input ends, and prints their addresses. Jobs take milliseconds, and pages may call.
import { createEmulator } from '@concord/emulator'

const emulator = await createEmulator({
  cors: true,
  extraction: { choices: { courseOf: () => ({ queuedMs: 1, processingMs: 1 }) } },
})
console.log(JSON.stringify(await emulator.serve()))
process.stdin.on('end', () => void emulator.close()).resume()
