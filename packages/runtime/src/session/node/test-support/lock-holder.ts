// Takes a lock, prints the folder of the lock, and then exits or waits. For tests in which the holder of a lock ends.
import { ProcessLock } from '../process-lock.ts'

const [folder = '', command] = process.argv.slice(2)
const held = await new ProcessLock({ folder }).acquire()
process.stdout.write(`${held.folder}\n`)
if (command === 'exit') process.exit(0)
setInterval(() => undefined, 1000)
