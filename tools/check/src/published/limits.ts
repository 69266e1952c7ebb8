import { existsSync, globSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

import { root } from '../workspace.ts'

/** The size limit and the target size of a bundle for browsers. */
interface SizeLimit {
  readonly what: string
  readonly code: string
  /** The check fails if the bundle is larger than this. */
  readonly limitBytes: number
  /** The size that the design aims for. Some bundles are still larger. */
  readonly targetBytes: number
}

const operation = { targetBytes: 14 * 1024 }
const service = { targetBytes: 24 * 1024 }

/** The limits are in KiB. Each is close to the measured size, so that growth is noticed. */
const measured: readonly SizeLimit[] = (
  [
    ['extraction', 'Extraction', 23.75, 'getJob', 13.75],
    ['media', 'Media', 27.75, 'getTask', 13],
    ['storage-auth', 'StorageAuth', 22.5, 'listApiKeys', 12.75],
    ['speech', 'Speech', 19, 'listModels', 12.5],
  ] as const
).flatMap(([name, client, clientKiB, call, callKiB]) => [
  {
    what: `${name}: one operation with its checks`,
    code: `import { createClient } from '@concord/runtime'; import { ${call} } from '@concord/${name}'; console.log(createClient, ${call})`,
    limitBytes: callKiB * 1024,
    ...operation,
  },
  {
    what: `${name}: the whole client`,
    code: `import { ${client} } from '@concord/${name}'; console.log(${client})`,
    limitBytes: clientKiB * 1024,
    ...service,
  },
])

/** If a service isn't in `measured`, the limit for its whole client is the target size. */
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

export const limits: readonly SizeLimit[] = [...measured, ...unmeasured]
