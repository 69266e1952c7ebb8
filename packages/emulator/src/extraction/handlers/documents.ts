import { success, type Reply } from '../../core/reply.ts'
import { callerOf, type ExtractionContext, type ExtractionHandler } from '../state.ts'
import type { Call } from '../../core/service.ts'
import { countPages } from '../document/read-document.ts'
import { showJob, showPreview } from '../views.ts'
import type { Account, Job } from '../model.ts'
import { deny } from '../denials.ts'
import { readSubmission, schemaOf, type Submission } from './submission.ts'

/** POST /v1/process. */
function processDocument(context: ExtractionContext): ExtractionHandler {
  const { choices, jobs, accounts } = context

  async function submit(submission: Submission, account: Account, baseUrl: string): Promise<Reply> {
    const known = schemaOf(submission, account, context)
    if ('denial' in known) return known.denial
    const { name, type: contentType } = submission.file
    const file = { name, contentType, bytes: new Uint8Array(await submission.file.arrayBuffer()) }
    const fileType = choices.fileTypeOf(file)
    if (!fileType) return deny(choices, 'unsupported-file-type', { value: name })

    const pageCount = await countPages(fileType, file.bytes)
    const denial = denyPages(context, account, pageCount ?? 0)
    if (denial) return denial
    if (choices.quota.counted === 'submitted') accounts.take(account, pageCount ?? 0)

    const { file: _file, schema: _schema, ...rest } = submission
    const job = jobs.submit({
      ...rest,
      ...known,
      scope: account.scope,
      file,
      fileType,
      pageCount: pageCount ?? 0,
      baseUrl,
    })
    return success(200, job, { id: job.id, status: job.status })
  }

  return {
    check(call) {
      const read = readSubmission(call, context)
      return read && 'denial' in read ? read.denial : undefined
    },
    handle(call) {
      const read = readSubmission(call, context)
      if (!read || !call.caller)
        return deny(choices, 'request-rejected', { reasons: ['body must be a form with a file'] })
      return 'denial' in read ? read.denial : submit(read.submission, call.caller, call.baseUrl)
    },
  }
}

/** Denies a document that has too many pages: more than the plan allows per document, or than are left this month. */
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

/** GET /v1/jobs/{job_id}. */
function getJob({ jobs, choices }: ExtractionContext): ExtractionHandler {
  const respond = (call: Call<Account>): Reply => {
    const job = jobs.find(call.parameters['job_id'] ?? '')
    return job?.scope === callerOf(call).scope
      ? success(200, job, showJob(job, choices))
      : deny(choices, 'job-not-found')
  }
  // The contract rejects an identifier that isn't a UUID, but an unknown job has a documented error.
  return {
    check: (call) => (jobs.find(call.parameters['job_id'] ?? '') ? undefined : respond(call)),
    handle: respond,
  }
}

/** GET /v1/preview/{token}. */
function getPreview({ jobs, choices }: ExtractionContext): ExtractionHandler {
  return {
    handle({ parameters }) {
      const job = jobs.byPreviewToken(parameters['token'] ?? '')
      return job && isPreviewable(job, choices.results.previewBeforeCompletion)
        ? success(200, job, showPreview(job, choices))
        : deny(choices, 'preview-not-found')
    },
  }
}

/** Whether a job has a preview. */
export function isPreviewable(job: Job, beforeCompletion: boolean): boolean {
  return job.status === 'completed' || beforeCompletion
}

export function documentHandlers(context: ExtractionContext): Record<string, ExtractionHandler> {
  return {
    processDocument: processDocument(context),
    getJob: getJob(context),
    getPreview: getPreview(context),
  }
}
