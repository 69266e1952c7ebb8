import { existsSync, globSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

import { root } from '../workspace.ts'

/** The size of something bundled for a web page: the limit and the target. */
interface SizeLimit {
  readonly what: string
  readonly code: string
  /** A larger bundle fails the checks. Kept close to the current size, so that growth is noticed. */
  readonly limitBytes: number
  /** The goal of the design; not all bundles reach it. */
  readonly targetBytes: number
}

const operation = { targetBytes: 14 * 1024 }
const service = { targetBytes: 24 * 1024 }

const measured: readonly SizeLimit[] = [
  {
    what: 'extraction: one operation with its checks',
    code: `import { createClient } from '@concord/runtime'; import { getJob } from '@concord/extraction'; console.log(createClient, getJob)`,
    limitBytes: 13.75 * 1024,
    ...operation,
  },
  {
    what: 'extraction: the whole client',
    code: `import { Extraction } from '@concord/extraction'; console.log(Extraction)`,
    limitBytes: 27.5 * 1024,
    ...service,
  },
  {
    what: 'media: one operation with its checks',
    code: `import { createClient } from '@concord/runtime'; import { getTask } from '@concord/media'; console.log(createClient, getTask)`,
    limitBytes: 12.75 * 1024,
    ...operation,
  },
  {
    what: 'media: the whole client',
    code: `import { Media } from '@concord/media'; console.log(Media)`,
    limitBytes: 33 * 1024,
    ...service,
  },
  {
    what: 'storage-auth: one operation with its checks',
    code: `import { createClient } from '@concord/runtime'; import { listApiKeys } from '@concord/storage-auth'; console.log(createClient, listApiKeys)`,
    limitBytes: 12.75 * 1024,
    ...operation,
  },
  {
    what: 'storage-auth: the whole client',
    code: `import { StorageAuth } from '@concord/storage-auth'; console.log(StorageAuth)`,
    limitBytes: 24.75 * 1024,
    ...service,
  },
  {
    what: 'speech: one operation with its checks',
    code: `import { createClient } from '@concord/runtime'; import { listModels } from '@concord/speech'; console.log(createClient, listModels)`,
    limitBytes: 12.25 * 1024,
    ...operation,
  },
  {
    what: 'speech: the whole client, with its sockets',
    code: `import { Speech } from '@concord/speech'; console.log(Speech)`,
    limitBytes: 24.75 * 1024,
    ...service,
  },
]

/** Services without a figure of their own: the size of a whole client is limited by the goal of the design. */
const unmeasured: readonly SizeLimit[] = globSync('specs/*/openapi.yaml', { cwd: root })
  .map((file) => basename(dirname(file)))
  .filter((name) => !measured.some(({ what }) => what.startsWith(`${name}: `)))
  .flatMap((name): SizeLimit[] => {
    const index = join(root, 'packages', name, 'src/index.ts')
    if (!existsSync(index)) return []
    const className = /^export \{ (\w+) \} from '.\/client\.ts'/m.exec(readFileSync(index, 'utf8'))?.[1]
    if (className === undefined) throw new Error(`${index} doesn't export the class of ./client.ts`)
    const code = `import { ${className} } from '@concord/${name}'; console.log(${className})`
    return [{ what: `${name}: the whole client`, code, limitBytes: service.targetBytes, ...service }]
  })

/** The limits: those that were measured, and then those of new services. */
export const limits: readonly SizeLimit[] = [...measured, ...unmeasured]
