import type { Json, JsonObject } from '../core/specification.ts'
import type { ExtractionChoices, JobField, MetadataField } from './choices.ts'
import type { Job, ReadPage } from './model.ts'

/** The length of text_preview, in characters. */
const PREVIEW_CHARACTERS = 500

/** Fills the place of `{token}` and `{page}` in an address. */
export function fillPath(path: string, values: Readonly<Record<string, string | number>>): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(values[name] ?? '')))
}

/** An instant as the service writes it. */
export function isoTime(epochMs: number): string {
  return new Date(epochMs).toISOString()
}

/** A job as the body of GET /v1/jobs/{job_id}. */
export function showJob(job: Job, choices: ExtractionChoices): Record<string, unknown> {
  const shown: Record<string, unknown> = { ...choices.furtherJobFields(job), id: job.id, status: job.status }
  if (job.status === 'failed') shown['error'] = job.error
  if (job.status === 'completed') {
    shown['completed_at'] = isoTime(job.completedAt ?? job.createdAt)
    shown['result'] = showResult(job, choices)
  }
  const delivered =
    job.webhookUrl === undefined ? choices.webhookDeliveredWithoutWebhook : job.webhookDelivered
  const optional: Record<JobField, unknown> = {
    created_at: isoTime(job.createdAt),
    metadata: showMetadata(job, choices),
    preview_url: job.baseUrl + fillPath(choices.previewPath, { token: job.previewToken }),
    webhook_url: job.webhookUrl,
    webhook_delivered: delivered,
  }
  for (const name of jobFields(job, choices)) if (optional[name] !== undefined) shown[name] = optional[name]
  return shown
}

function jobFields(job: Job, choices: ExtractionChoices): readonly JobField[] {
  if (job.status === 'completed')
    return ['created_at', 'metadata', 'preview_url', 'webhook_url', 'webhook_delivered']
  return job.status === 'failed' ? choices.failedJobFields : choices.unfinishedJobFields
}

/** The result of a completed job. */
export function showResult(job: Job, choices: ExtractionChoices): Record<string, unknown> {
  const isLong = Buffer.byteLength(job.text) > choices.textUrlThresholdBytes
  return {
    ...(isLong && choices.textBesideTextUrl === 'omit' ? {} : { text: job.text }),
    text_preview: choices.firstCharacters(job.text, PREVIEW_CHARACTERS),
    ...(isLong ? { text_url: job.baseUrl + fillPath(choices.textUrlPath, { token: job.previewToken }) } : {}),
    ...(job.found ? { data: job.found.fields } : {}),
    ...(job.includePages ? { pages: job.pages.map((page) => showPage(job, page, choices)) } : {}),
  }
}

function showPage(job: Job, page: ReadPage, choices: ExtractionChoices): Record<string, unknown> {
  const reason = reviewReason(job, page, choices)
  return {
    page_number: page.number,
    text: page.text,
    hil_flag: reason !== null,
    review_reason: reason,
    data: choices.pageData(page, job.found?.fields ?? {}),
  }
}

/** Why a person should look at a page; null where nobody needs to. */
export function reviewReason(job: Job, page: ReadPage, choices: ExtractionChoices): string | null {
  const flagged = Object.entries(job.found?.fields ?? {}).flatMap(([name, entry]) =>
    entry.hil_flag && entry.found_on_page === page.number ? [name] : [],
  )
  return choices.pageReviewReason(page, flagged)
}

/** The metadata of a job. */
export function showMetadata(job: Job, choices: ExtractionChoices): JsonObject {
  const entries = Object.values(job.found?.fields ?? {})
  const toReview = entries.filter((entry) => entry.hil_flag).length
  const metadata: Record<MetadataField, Json> = {
    page_count: job.pageCount,
    pipeline: job.pipeline,
    review_percentage: choices.reviewPercentage(toReview, entries.length),
    fields_requiring_review: toReview,
    total_fields: entries.length,
    step_timings: choices.stepTimings(job),
  }
  return Object.fromEntries(choices.metadataFields(job).map((name) => [name, metadata[name]]))
}

/** A job as the body of GET /v1/preview/{token}. */
export function showPreview(job: Job, choices: ExtractionChoices): Record<string, unknown> {
  const { page_count, pipeline, review_percentage } = showMetadata(job, choices)
  const hasPages = job.includeImages || choices.previewPagesWithoutImages
  return {
    file_name: job.fileName,
    status: choices.previewStatus(job),
    created_at: isoTime(job.createdAt),
    pages: (hasPages ? job.pages : []).map((page) => ({
      page_number: page.number,
      ...(job.includeImages
        ? {
            image_url:
              job.baseUrl + fillPath(choices.imagePath, { token: job.previewToken, page: page.number }),
          }
        : {}),
      text: page.text,
      hil_flag: reviewReason(job, page, choices) !== null,
      data: choices.pageData(page, job.found?.fields ?? {}),
    })),
    data: choices.previewData(job),
    metadata: { page_count, pipeline, review_percentage },
  }
}

/** What the webhook of a completed job carries. */
export function showWebhook(job: Job, choices: ExtractionChoices): JsonObject {
  const data = choices.webhookData(job)
  return {
    event: 'job.completed',
    job_id: job.id,
    status: choices.webhookStatus(job),
    result: { text: choices.webhookText(job), ...(data ? { data } : {}) },
    metadata: choices.webhookMetadata(showMetadata(job, choices)),
    preview_url: job.baseUrl + fillPath(choices.previewPath, { token: job.previewToken }),
  }
}
