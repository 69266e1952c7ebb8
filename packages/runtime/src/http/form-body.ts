import type { Issue } from '../core/errors.ts'
import type { OperationDescriptor } from '../core/descriptors.ts'
import type { CallOptions } from './call-options.ts'
import { type EncodedBody, NO_BODY, rejectBody } from './compose.ts'
import { writeForm } from './parameter-writers.ts'
import { written } from './path.ts'

/**
 * Encodes a body as `application/x-www-form-urlencoded`: a field for each member, in its documented style.
 *
 * @throws RequestInvalidError if a member can't be written.
 * @see WHATWG URL, "application/x-www-form-urlencoded"
 */
export function encodeFormBody(
  operation: OperationDescriptor,
  value: unknown,
  options: CallOptions | undefined,
): EncodedBody {
  const { body } = operation
  const extra = options?.extra?.body
  if (value === undefined && extra === undefined) return NO_BODY
  const fields: string[] = []
  const issues: Issue[] = []
  for (const [name, member] of Object.entries({ ...(value as object), ...extra })) {
    const pairs = written(body?.parts?.[name]?.write ?? writeForm, name, member, 'body')
    if (typeof pairs === 'object') issues.push(pairs)
    else if (pairs !== undefined) fields.push(pairs)
  }
  if (issues.length > 0) return rejectBody(operation, issues)
  // A form writes a space as +.
  const content = fields.join('&').replaceAll('%20', '+')
  return { content, contentType: body?.contentType ?? 'application/x-www-form-urlencoded' }
}
