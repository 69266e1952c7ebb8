// Serves all services until its input ends, and prints their URLs. Jobs take milliseconds, and web pages may call them.
import { createEmulator } from '@concord/emulator'

const emulator = await createEmulator({
  cors: true,
  extraction: { choices: { courseOf: () => ({ queuedMs: 1, processingMs: 1 }) } },
})
console.log(JSON.stringify(await emulator.serve()))
process.stdin.on('end', () => void emulator.close()).resume()
