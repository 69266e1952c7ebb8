import type { Reply } from '../../core/reply.ts'
import type { Call } from '../../core/service.ts'
import { isObject, type JsonObject } from '../../core/json.ts'
import { activeSchemaOf } from '../blueprints.ts'
import type { ExtractionContext } from '../state.ts'
import type { Account, Pipeline } from '../model.ts'
import { deny } from '../denials.ts'

/** The pipelines of the service. */
export const PIPELINES: readonly Pipeline[] = ['standard', 'searchable']

/** A submission, as read from its form. */
export interface Submission {
  file: File
  readonly schema?: JsonObject
  readonly blueprintId?: string
  readonly webhookUrl?: string
  readonly pipeline: Pipeline
  readonly pipelineVersion?: string
  readonly includePages: boolean
  readonly includeImages: boolean
}

/** Reads the form of a submission. Returns undefined if the request has no form with a file. */
export function readSubmission(
  call: Call<Account>,
  context: ExtractionContext,
): { submission: Submission } | { denial: Reply } | undefined {
  const { choices } = context
  const account = call.caller
  if (call.body.kind !== 'form' || !account) return undefined
  const { form } = call.body
  const file = form.get('file')
  if (file === null) return undefined
  if (typeof file === 'string')
    return {
      denial: deny(choices, 'request-rejected', { reasons: ['body/file must be a file, not a string'] }),
    }

  const text = (name: string): string | undefined => {
    const value = form.get(name)
    return typeof value === 'string' ? value : undefined
  }
  const schemaText = text('schema')
  const blueprintId = text('blueprint_id')
  if (schemaText !== undefined && blueprintId !== undefined)
    return { denial: deny(choices, 'schema-and-blueprint') }

  const webhookUrl = text('webhook_url')
  if (webhookUrl !== undefined && !isWebhookUrl(webhookUrl, context.allowHttpWebhooks))
    return { denial: deny(choices, 'webhook-not-https', { value: webhookUrl }) }

  const { pipeline, pipelineVersion, includePages, includeImages, invalid } = choices.readForm(form)
  if (invalid !== undefined) return { denial: deny(choices, 'boolean-text-unknown', { value: invalid }) }
  if (!isPipeline(pipeline)) return { denial: deny(choices, 'pipeline-unknown', { value: pipeline }) }

  const { plan } = account
  if (file.size > plan.maxFileMb * choices.sizes.megabyteBytes)
    return {
      denial: deny(choices, 'file-too-large', { plan: plan.name, limit: plan.maxFileMb }),
    }

  const schema = schemaText === undefined ? undefined : choices.readSchema(schemaText)
  if (schema && 'problem' in schema)
    return { denial: deny(choices, 'invalid-schema', { reasons: [schema.problem] }) }

  return {
    submission: {
      file,
      pipeline,
      includePages: includePages || includeImages,
      includeImages,
      ...(schema ? { schema: schema.schema } : {}),
      ...(blueprintId === undefined ? {} : { blueprintId }),
      ...(webhookUrl === undefined ? {} : { webhookUrl }),
      ...(pipelineVersion === undefined ? {} : { pipelineVersion }),
    },
  }
}

/** Returns the schema of a submission, from the form or from a blueprint. */
export function schemaOf(
  submission: Submission,
  account: Account,
  { blueprints, choices }: ExtractionContext,
): { schema?: JsonObject } | { denial: Reply } {
  if (submission.schema) return { schema: submission.schema }
  if (submission.blueprintId === undefined) return {}
  const blueprint = blueprints.find(account.scope, submission.blueprintId)
  if (!blueprint) return { denial: deny(choices, 'process-blueprint-unknown') }
  const schema = activeSchemaOf(blueprint)
  return isObject(schema) ? { schema } : { denial: deny(choices, 'process-blueprint-without-schema') }
}

function isPipeline(name: string): name is Pipeline {
  return PIPELINES.some((pipeline) => pipeline === name)
}

function isWebhookUrl(url: string, allowHttp: boolean): boolean {
  if (!URL.canParse(url)) return false
  const { protocol } = new URL(url)
  return protocol === 'https:' || (allowHttp && protocol === 'http:')
}
