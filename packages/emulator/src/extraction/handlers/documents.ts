import { success, type Reply } from '../../core/reply.ts'
import type { ExtractionContext, ExtractionHandler } from '../state.ts'
import { callerOf, type Call } from '../../core/service.ts'
import { activeVersionOf } from '../blueprints.ts'
import { countPages } from '../document/read-document.ts'
import { showJob, showPreview } from '../views.ts'
import type { Account } from '../model.ts'
import { deny } from '../denials.ts'
import { PIPELINES, readSubmission, type Submission } from './submission.ts'

export function documentHandlers(context: ExtractionContext): Record<string, ExtractionHandler> {
  const { choices, jobs } = context
  const showFoundJob = (call: Call<Account>): Reply => {
    const job = jobs.find(call.parameters['job_id'] ?? '')
    return job?.scope === callerOf(call).scope
      ? success(200, job, showJob(job, choices))
      : deny(choices, 'job-not-found')
  }
  return {
    listPipelines: {
      handle: () => success(200, PIPELINES, { pipelines: PIPELINES.map((name) => ({ name })) }),
    },
    processDocument: {
      check(call) {
        const read = readSubmission(call, context)
        return read && 'status' in read ? read : undefined
      },
      handle(call) {
        const read = readSubmission(call, context)
        if (!read) return deny(choices, 'request-rejected', { reasons: ['body must be a form with a file'] })
        return 'status' in read ? read : submit(read, call, context)
      },
    },
    getJob: {
      // The contract rejects an identifier that isn't a UUID. Without this check, the caller would get the general
      // error for rejected requests instead of the documented error for an unknown job.
      check: (call) => (jobs.find(call.parameters['job_id'] ?? '') ? undefined : showFoundJob(call)),
      handle: showFoundJob,
    },
    getPreview: {
      handle({ parameters }) {
        const job = jobs.previewed(parameters['token'] ?? '')
        return job ? success(200, job, showPreview(job, choices)) : deny(choices, 'preview-not-found')
      },
    },
  }
}

async function submit(
  submission: Submission,
  call: Call<Account>,
  context: ExtractionContext,
): Promise<Reply> {
  const { choices, jobs, accounts, blueprints } = context
  const account = callerOf(call)
  const { file: sent, schema: ownSchema, ...options } = submission
  const blueprint =
    options.blueprintId === undefined ? undefined : blueprints.find(account.scope, options.blueprintId)
  if (options.blueprintId !== undefined && !blueprint) return deny(choices, 'process-blueprint-unknown')
  const schema = blueprint ? activeVersionOf(blueprint)?.schema : ownSchema
  if (blueprint && !schema) return deny(choices, 'process-blueprint-without-schema')

  const file = { name: sent.name, contentType: sent.type, bytes: new Uint8Array(await sent.arrayBuffer()) }
  const fileType = choices.fileTypeOf(file)
  if (!fileType) return deny(choices, 'unsupported-file-type', { value: file.name })

  const pageCount = (await countPages(fileType, file.bytes)) ?? 0
  const denial = denyPages(context, account, pageCount)
  if (denial) return denial
  if (choices.quota.counted === 'submitted') accounts.take(account, pageCount)

  const job = jobs.submit({
    ...options,
    ...(schema ? { schema } : {}),
    scope: account.scope,
    file,
    fileType,
    pageCount,
    baseUrl: call.baseUrl,
  })
  return success(200, job, { id: job.id, status: job.status })
}

function denyPages(
  { choices, accounts }: ExtractionContext,
  account: Account,
  pageCount: number,
): Reply | undefined {
  const { name: plan, pagesPerDocument, pagesPerMonth } = account.plan
  const facts = { plan, documentPages: pageCount }
  if (pageCount > pagesPerDocument)
    return deny(choices, 'page-count', { ...facts, count: pageCount, limit: pagesPerDocument })
  if (pageCount > accounts.pagesLeft(account)) {
    const count = account.pagesUsed + pageCount
    return deny(choices, 'page-quota', { ...facts, count, limit: pagesPerMonth })
  }
  return undefined
}
