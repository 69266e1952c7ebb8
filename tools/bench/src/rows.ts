import { calls } from './calls/row.ts'
import { regenerate } from './regenerate/row.ts'
import type { Row } from './row.ts'
import { size } from './size/row.ts'
import { socketFrames, socketMessages } from './sockets/row.ts'
import { start } from './start/row.ts'
import { upload } from './upload/row.ts'
import { waits } from './waits/row.ts'

/** The rows of the bench, in the order in which they are run. */
export const rows: readonly Row[] = [
  calls,
  start,
  size,
  upload,
  waits,
  socketFrames,
  socketMessages,
  regenerate,
]
