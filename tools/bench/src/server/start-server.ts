import { fileURLToPath } from 'node:url'

import { type Child, startChild } from '../process/child.ts'
import { CORES, type RowContext } from '../row.ts'

const files = {
  jobs: './job-server.ts',
  uploads: './upload-server.ts',
  sockets: './socket-server.ts',
} as const

/** Starts a server in a process of its own; it ends with the handle. */
export function startServer(kind: keyof typeof files, { pin }: Pick<RowContext, 'pin'>): Child {
  const file = fileURLToPath(new URL(files[kind], import.meta.url))
  return startChild(file, { core: pin ? CORES.server : undefined })
}
