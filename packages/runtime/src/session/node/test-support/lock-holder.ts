// Takes a lock, says so, and does what it is told: for the test of what becomes of the lock of a process that ends.
import { ProcessLock } from '../process-lock.ts'

const [folder = '', command] = process.argv.slice(2)
const held = await new ProcessLock({ folder }).acquire()
process.stdout.write(`${held.folder}\n`)
if (command === 'exit') process.exit(0)
setInterval(() => undefined, 1000)
