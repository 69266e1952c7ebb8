import { join } from 'node:path'

import { checkAnswer, WrongAnswerError } from '../answers.ts'
import { submission } from '../contract.ts'
import { interleave } from '../measure/interleave.ts'
import { startChild } from '../process/child.ts'
import type { Figure } from '../report/figure.ts'
import { toFigure } from '../report/to-figure.ts'
import { CORES, type Extent, type Row, type RowContext } from '../row.ts'
import { API_KEY } from '../server/job-address.ts'
import type { Received } from '../server/received.ts'
import { startServer } from '../server/start-server.ts'
import { stockClient } from '../stock/stock-client.ts'
import { subjectsIn } from '../subjects.ts'
import { makeUploadFiles, type UploadFile } from './files.ts'
import type { UploadCost } from './worker.ts'

const names = ['raw undici', 'global fetch', 'stock client', 'concord']
const MIB = 2 ** 20
/** What a form adds to its file is less than this. */
const FORM_BYTES = 1000

interface Plan {
  readonly rounds: number
  readonly limitMs: number
  readonly sizeBytes: number
}

const plans: Readonly<Record<Extent, Plan>> = {
  full: { rounds: 9, limitMs: 45_000, sizeBytes: 400_000_000 },
  quick: { rounds: 1, limitMs: 0, sizeBytes: 400_000_000 },
  smoke: { rounds: 1, limitMs: 0, sizeBytes: 20_000_000 },
}

/** Uploading a large file as a form. */
export const upload: Row = {
  name: 'upload',
  title: 'a large file as multipart/form-data, from a path',
  run: (context) =>
    measureUploads(subjectsIn(join(import.meta.dirname, 'subjects'), names), plans[context.extent], context),
}

/**
 * The row, for any subjects. The first is the base.
 *
 * @throws WrongAnswerError when the file of one does not arrive as it is.
 */
export async function measureUploads(
  subjects: ReadonlyMap<string, string>,
  plan: Plan,
  context: RowContext,
): Promise<readonly Figure[]> {
  const { rounds, limitMs, sizeBytes } = plan
  const { module: stockModule } = await stockClient()
  using files = makeUploadFiles(sizeBytes)
  await using server = startServer('uploads', context)
  const port = await server.ask<number>('port')
  const target = { baseUrl: `http://127.0.0.1:${port}`, apiKey: API_KEY, stockModule }

  const measureOnce = async (name: string, subject: string): Promise<UploadCost> => {
    const file = join(import.meta.dirname, 'worker.ts')
    const nodeOptions = ['--expose-gc']
    await using worker = startChild(file, { core: context.pin ? CORES.subject : undefined, nodeOptions })
    await worker.ask('connect', { subject, target })
    checkAnswer(name, await worker.ask('upload', files.small.path), submission())
    checkReceived(name, files.small, await server.ask<Received>('last'))
    const measured = await worker.ask<UploadCost>('measure', files.large.path)
    checkReceived(name, files.large, await server.ask<Received>('last'))
    return measured
  }
  const results = await interleave(
    new Map([...subjects].map(([name, subject]) => [name, () => measureOnce(name, subject)])),
    { rounds, limitMs, onRound: (done) => context.progress.tell(`upload: round ${done + 1} of ${rounds}`) },
  )
  return toFigures(results, sizeBytes)
}

function toFigures(results: ReadonlyMap<string, readonly UploadCost[]>, sizeBytes: number): Figure[] {
  const size = `${sizeBytes / 1e6} MB`
  return [
    toFigure({
      title: `${size}: time`,
      meaning: 'beside raw undici, less is better',
      unit: 'ms',
      results,
      value: ({ elapsedMs }) => elapsedMs,
      compare: 'cost',
      targets: [{ direction: 'at most', limit: 1.15, of: 'compared' }],
      notes: ["the stock client's validation of requests is off: it refuses files in forms"],
    }),
    toFigure({
      title: `${size}: processor time`,
      meaning: 'of the whole client process; beside raw undici, less is better',
      unit: 'ms',
      results,
      value: ({ cpuMs }) => cpuMs,
      compare: 'cost',
      targets: [],
      notes: [],
    }),
    toFigure({
      title: `${size}: extra peak memory`,
      meaning: 'over what the process had before; MiB more than raw undici, less is better',
      unit: 'MiB',
      results,
      value: ({ extraPeakBytes }) => extraPeakBytes / MIB,
      compare: 'difference',
      targets: [
        { direction: 'at most', limit: 8, of: 'compared' },
        { direction: 'at most', limit: 70, of: 'value' },
      ],
      notes: [],
    }),
  ]
}

/** @throws WrongAnswerError when not the whole file arrived. */
function checkReceived(subject: string, { path, sizeBytes, sha256 }: UploadFile, received: Received): void {
  const { bodyBytes, file } = received
  const whole =
    received.path === '/v1/process' &&
    bodyBytes > sizeBytes &&
    bodyBytes < sizeBytes + FORM_BYTES &&
    (file === undefined || (file.sha256 === sha256 && path.endsWith(`/${file.name}`)))
  if (!whole)
    throw new WrongAnswerError(`${subject} did not upload ${path} whole: ${JSON.stringify(received)}`)
}
