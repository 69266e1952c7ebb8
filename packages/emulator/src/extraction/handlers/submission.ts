import type { Reply } from '../../core/reply.ts'
import type { Call } from '../../core/service.ts'
import { isObject, type JsonObject } from '../../core/json.ts'
import { activeSchemaOf } from '../blueprints.ts'
import type { ExtractionContext } from '../state.ts'
import type { Account, Pipeline } from '../model.ts'
import { refuse } from '../refusals.ts'

/** The pipelines of the service. */
export const PIPELINES: readonly Pipeline[] = ['standard', 'searchable']

/** The request in a form. */
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

/** Reads the form of a submission; undefined if the request has no form with a file. */
export function readSubmission(
  call: Call<Account>,
  context: ExtractionContext,
): { submission: Submission } | { refusal: Reply } | undefined {
  const { choices } = context
  const account = call.caller
  if (call.body.kind !== 'form' || !account) return undefined
  const { form } = call.body
  const file = form.get('file')
  if (file === null) return undefined
  if (typeof file === 'string')
    return {
      refusal: refuse(choices, 'request-refused', { reasons: ['body/file must be a file, not text'] }),
    }

  const text = (name: string): string | undefined => {
    const value = form.get(name)
    return typeof value === 'string' ? value : undefined
  }
  const schemaText = text('schema')
  const blueprintId = text('blueprint_id')
  if (schemaText !== undefined && blueprintId !== undefined)
    return { refusal: refuse(choices, 'schema-and-blueprint') }

  const webhookUrl = text('webhook_url')
  if (webhookUrl !== undefined && !isWebhookAddress(webhookUrl, context.allowHttpWebhooks))
    return { refusal: refuse(choices, 'webhook-not-https', { value: webhookUrl }) }

  const { pipeline, pipelineVersion, includePages, includeImages, invalid } = choices.readForm(form)
  if (invalid !== undefined) return { refusal: refuse(choices, 'boolean-text-unknown', { value: invalid }) }
  if (!isPipeline(pipeline)) return { refusal: refuse(choices, 'pipeline-unknown', { value: pipeline }) }

  const { plan } = account
  if (file.size > plan.maxFileMb * choices.sizes.megabyteBytes)
    return {
      refusal: refuse(choices, 'file-too-large', { plan: plan.name, limit: plan.maxFileMb }),
    }

  const schema = schemaText === undefined ? undefined : choices.readSchema(schemaText)
  if (schema && 'problem' in schema)
    return { refusal: refuse(choices, 'invalid-schema', { reasons: [schema.problem] }) }

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

/** The schema that a submission asks for, from the form or from a blueprint. */
export function schemaOf(
  submission: Submission,
  account: Account,
  { blueprints, choices }: ExtractionContext,
): { schema?: JsonObject } | { refusal: Reply } {
  if (submission.schema) return { schema: submission.schema }
  if (submission.blueprintId === undefined) return {}
  const blueprint = blueprints.find(account.scope, submission.blueprintId)
  if (!blueprint) return { refusal: refuse(choices, 'process-blueprint-unknown') }
  const schema = activeSchemaOf(blueprint)
  return isObject(schema) ? { schema } : { refusal: refuse(choices, 'process-blueprint-without-schema') }
}

function isPipeline(name: string): name is Pipeline {
  return PIPELINES.some((pipeline) => pipeline === name)
}

function isWebhookAddress(address: string, allowHttp: boolean): boolean {
  if (!URL.canParse(address)) return false
  const { protocol } = new URL(address)
  return protocol === 'https:' || (allowHttp && protocol === 'http:')
}
