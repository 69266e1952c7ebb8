import type { ProcessDocumentInput } from '@concord/extraction-validators'

import { nameDocument } from './document.ts'
import { invalidSubmission } from './errors.ts'
import { schemaText } from './fields.ts'
import type { AnySubmission } from './submit.ts'

/** @throws RequestInvalidError or OptionsError for invalid input. */
export async function toProcessInput(submission: AnySubmission): Promise<ProcessDocumentInput> {
  const { schema, blueprint_id, include_images, include_pages, webhook_url } = submission
  if (schema !== undefined && blueprint_id !== undefined) {
    throw invalidSubmission(
      '/body',
      'has both `schema` and `blueprint_id`, which cannot be combined; pass one of them, or neither to get only the text of the document',
    )
  }
  if (webhook_url !== undefined && !/^https:\/\//i.test(String(webhook_url))) {
    throw invalidSubmission(
      '/body/webhook_url',
      'is not an `https:` URL; the service calls only `https:` URLs',
    )
  }
  return {
    body: {
      file: await nameDocument(submission),
      ...(schema === undefined ? { blueprint_id } : { schema: schemaText(schema) }),
      ...(include_images === undefined
        ? {}
        : { include_images: booleanText(include_images, 'include_images') }),
      ...(include_pages === undefined ? {} : { include_pages: booleanText(include_pages, 'include_pages') }),
      ...(webhook_url === undefined ? {} : { webhook_url }),
    },
  }
}

function booleanText(value: unknown, option: string): 'true' | 'false' {
  if (value === true) return 'true'
  if (value === false) return 'false'
  throw invalidSubmission(`/body/${option}`, 'must be true or false')
}
