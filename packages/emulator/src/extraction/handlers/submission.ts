import type { Reply } from '../../core/reply.ts'
import { textPart } from '../../core/request-body.ts'
import type { Call } from '../../core/service.ts'
import { defined } from '../../core/json.ts'
import type { ExtractionContext } from '../state.ts'
import type { Account, Job, Pipeline } from '../model.ts'
import { deny } from '../denials.ts'

export const PIPELINES: readonly Pipeline[] = ['standard', 'searchable']

export type Submission = Pick<Job, 'pipeline' | 'includePages' | 'includeImages'> &
  Partial<Pick<Job, 'pipelineVersion' | 'schema' | 'blueprintId' | 'webhookUrl'>> & { file: File }

/**
 * Reads a submission's form, or denies the submission. Returns undefined if the caller is unknown, or if the body
 * isn't a form with a file.
 */
export function readSubmission(
  { caller, body }: Call<Account>,
  { choices, allowHttpWebhooks }: ExtractionContext,
): Submission | Reply | undefined {
  if (body.kind !== 'form' || !caller) return undefined
  const { form } = body
  const file = form.get('file')
  if (file === null) return undefined
  if (typeof file === 'string')
    return deny(choices, 'request-rejected', { reasons: ['body/file must be a file, not a string'] })

  const schemaText = textPart(form, 'schema')
  const blueprintId = textPart(form, 'blueprint_id')
  if (schemaText !== undefined && blueprintId !== undefined) return deny(choices, 'schema-and-blueprint')

  const webhookUrl = textPart(form, 'webhook_url')
  if (webhookUrl !== undefined && !isWebhookUrl(webhookUrl, allowHttpWebhooks))
    return deny(choices, 'webhook-not-https', { value: webhookUrl })

  const { pipeline, pipelineVersion, includePages, includeImages, invalid } = choices.readForm(form)
  if (invalid !== undefined) return deny(choices, 'boolean-text-unknown', { value: invalid })
  if (!isPipeline(pipeline)) return deny(choices, 'pipeline-unknown', { value: pipeline })

  const { name: plan, maxFileMb: limit } = caller.plan
  if (file.size > limit * choices.sizes.megabyteBytes) return deny(choices, 'file-too-large', { plan, limit })

  const schema = schemaText === undefined ? undefined : choices.readSchema(schemaText)
  if (schema && 'problem' in schema) return deny(choices, 'invalid-schema', { reasons: [schema.problem] })

  return {
    file,
    pipeline,
    includePages: includePages || includeImages,
    includeImages,
    ...defined({ schema: schema?.schema, blueprintId, webhookUrl, pipelineVersion }),
  }
}

function isPipeline(name: string): name is Pipeline {
  return PIPELINES.some((pipeline) => pipeline === name)
}

function isWebhookUrl(url: string, allowHttp: boolean): boolean {
  if (!URL.canParse(url)) return false
  const { protocol } = new URL(url)
  return protocol === 'https:' || (allowHttp && protocol === 'http:')
}
