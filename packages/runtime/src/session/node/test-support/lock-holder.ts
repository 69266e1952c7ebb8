// Takes a lock, reports it, and then exits or waits: for tests of the lock of a process that ends.
import { ProcessLock } from '../process-lock.ts'

const [folder = '', command] = process.argv.slice(2)
const held = await new ProcessLock({ folder }).acquire()
process.stdout.write(`${held.folder}\n`)
if (command === 'exit') process.exit(0)
setInterval(() => undefined, 1000)
