import type { Json, JsonObject } from '../core/json.ts'
import { activeVersionOf } from './blueprints.ts'
import type { ExtractionChoices } from './choices.ts'
import type { Blueprint, Job, ReadPage } from './model.ts'

// Where the documentation doesn't specify the JSON, this file defines the emulator's default, which
// `choices.successResponse` and `choices.webhook` can override.

const PREVIEW_CHARACTERS = 500

function fillPath(path: string, values: Readonly<Record<string, string | number>>): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(values[name] ?? '')))
}

function isoTime(epochMs: number): string {
  return new Date(epochMs).toISOString()
}

/**
 * Returns the response body of GET /v1/jobs/{job_id}. The documentation doesn't say which optional fields the body
 * has before the job ends.
 */
export function showJob(job: Job, choices: ExtractionChoices): JsonObject {
  const { id, status } = job
  if (status === 'failed') return { id, status, error: job.error ?? '' }
  const webhook = job.webhookUrl === undefined ? {} : { webhook_url: job.webhookUrl }
  if (status !== 'completed') return { id, status, created_at: isoTime(job.createdAt), ...webhook }
  return {
    id,
    status,
    created_at: isoTime(job.createdAt),
    completed_at: isoTime(job.completedAt ?? job.createdAt),
    result: showResult(job, choices),
    metadata: showMetadata(job),
    preview_url: previewUrlOf(job, choices),
    ...webhook,
    ...(job.webhookDelivered === undefined ? {} : { webhook_delivered: job.webhookDelivered }),
  }
}

function previewUrlOf(job: Job, { paths }: ExtractionChoices): string {
  return job.baseUrl + fillPath(paths.preview, { token: job.previewToken })
}

function showResult(job: Job, choices: ExtractionChoices): JsonObject {
  const isLong = Buffer.byteLength(job.text) > choices.sizes.textUrlAboveBytes
  const textUrl = job.baseUrl + fillPath(choices.paths.text, { token: job.previewToken })
  return {
    ...(isLong ? {} : { text: job.text }),
    text_preview: firstCharacters(job.text),
    ...(isLong ? { text_url: textUrl } : {}),
    ...(job.found ? { data: fieldsOf(job) } : {}),
    ...(job.includePages ? { pages: job.pages.map((page) => showPage(job, page)) } : {}),
  }
}

/** Counts Unicode code points as characters. */
function firstCharacters(text: string): string {
  return Array.from(text.slice(0, PREVIEW_CHARACTERS * 2))
    .slice(0, PREVIEW_CHARACTERS)
    .join('')
}

function fieldsOf(job: Job): JsonObject {
  return (job.found?.fields ?? {}) as unknown as JsonObject
}

function showPage(job: Job, page: ReadPage): JsonObject {
  const reason = reviewReason(job, page)
  return {
    page_number: page.number,
    text: page.text,
    hil_flag: reason !== null,
    review_reason: reason,
    data: fieldsOn(page, job),
  }
}

function fieldsOn(page: ReadPage, job: Job): JsonObject {
  const found = Object.entries(job.found?.fields ?? {})
  return Object.fromEntries(
    found.filter(([, entry]) => entry.found_on_page === page.number),
  ) as unknown as JsonObject
}

/** Returns why a person should review a page, or null if the page needs no review. */
export function reviewReason(job: Job, page: ReadPage): string | null {
  if (page.reviewReason !== undefined) return page.reviewReason
  const flagged = Object.entries(job.found?.fields ?? {}).flatMap(([name, entry]) =>
    entry.hil_flag && entry.found_on_page === page.number ? [name] : [],
  )
  return flagged.length > 0 ? `Fields to review: ${flagged.join(', ')}.` : null
}

function showMetadata(job: Job): { [name: string]: Json } {
  const entries = Object.values(job.found?.fields ?? {})
  const toReview = entries.filter((entry) => entry.hil_flag).length
  return {
    page_count: job.pageCount,
    pipeline: job.pipeline,
    review_percentage: entries.length === 0 ? 0 : Math.round((toReview / entries.length) * 10_000) / 100,
    fields_requiring_review: toReview,
    total_fields: entries.length,
    step_timings: {},
  }
}

/** Returns the response body of GET /v1/preview/{token}. */
export function showPreview(job: Job, { paths }: ExtractionChoices): JsonObject {
  const { page_count = 0, pipeline = '', review_percentage = 0 } = showMetadata(job)
  const imageUrl = (page: ReadPage) =>
    job.baseUrl + fillPath(paths.image, { token: job.previewToken, page: page.number })
  return {
    file_name: job.fileName,
    status: job.status,
    created_at: isoTime(job.createdAt),
    pages: job.pages.map((page) => {
      const { review_reason: _, ...shown } = showPage(job, page)
      return job.includeImages ? { ...shown, image_url: imageUrl(page) } : shown
    }),
    data: fieldsOf(job),
    metadata: { page_count, pipeline, review_percentage },
  }
}

/**
 * Returns the webhook body for a completed job. Unlike the result of `showJob`, this body always contains the whole
 * text.
 */
export function showWebhook(job: Job, choices: ExtractionChoices): JsonObject {
  return {
    event: 'job.completed',
    job_id: job.id,
    status: job.status,
    result: { text: job.text, ...(job.found ? { data: fieldsOf(job) } : {}) },
    metadata: showMetadata(job),
    preview_url: previewUrlOf(job, choices),
  }
}

export function showBlueprintList(blueprints: readonly Blueprint[]): JsonObject {
  return {
    blueprints: blueprints.map((blueprint) => ({
      id: blueprint.id,
      name: blueprint.name,
      active_version: blueprint.activeVersion ?? null,
      accuracy: activeVersionOf(blueprint)?.accuracy ?? null,
    })),
  }
}

export function showBlueprint(blueprint: Blueprint): JsonObject {
  const active = activeVersionOf(blueprint)
  return {
    id: blueprint.id,
    name: blueprint.name,
    description: blueprint.description ?? null,
    document_type: blueprint.documentType ?? null,
    versions: blueprint.versions.map(({ version, schema, accuracy, createdAt }) => ({
      version,
      schema,
      accuracy: accuracy ?? null,
      created_at: isoTime(createdAt),
    })),
    active_version: blueprint.activeVersion ?? null,
    active_schema: active?.schema ?? null,
    accuracy: active?.accuracy ?? null,
  }
}
