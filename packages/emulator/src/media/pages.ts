import type { Reply } from '../core/reply.ts'
import type { Page, PageCall } from '../core/service.ts'
import type { MediaContext } from './context.ts'
import { LARGEST_UPLOAD_MB } from './inputs/limits.ts'
import { imageTypeOf } from './inputs/signature.ts'
import { serveBytes } from './outputs/serve-bytes.ts'
import { refuse } from './refusals.ts'

/** What faults call the addresses that the contract does not describe. */
export const MEDIA_PAGE_NAMES: readonly string[] = ['page:output', 'page:upload']

/** The files behind signed links, and where the bytes of uploads go. Neither asks for credentials. */
export function mediaPages(context: MediaContext): Page[] {
  const { choices } = context
  const output = { name: 'page:output', path: choices.outputPath, handle: readOutput(context) }
  return [
    { ...output, method: 'GET' },
    { ...output, method: 'HEAD' },
    {
      name: 'page:upload',
      method: 'PUT',
      path: choices.uploadPath,
      bodyLimitBytes: LARGEST_UPLOAD_MB * choices.megabyteBytes,
      handle: takeUpload(context),
    },
  ]
}

function readOutput({ choices, outputs }: MediaContext) {
  return ({ parameters, query, headers, method }: PageCall): Reply => {
    const opened = outputs.open(parameters['task'] ?? '', parameters['file'] ?? '', query)
    if (opened.kind !== 'found') return refuse(choices, opened.kind)
    const { output, madeAt } = opened
    output.requests++
    if (headers.has('authorization') || headers.has('x-service-version')) output.requestsWithCredentials++
    return serveBytes({ ...output.file, changedAt: madeAt }, headers, method)
  }
}

function takeUpload({ choices, uploads }: MediaContext) {
  return ({ parameters, headers, body }: PageCall): Reply => {
    const upload = uploads.byToken(parameters['token'] ?? '')
    if (!upload) return refuse(choices, 'upload-not-found')
    if (uploads.isExpired(upload)) return refuse(choices, 'upload-expired')
    if (body.kind === 'too-large') return refuse(choices, 'upload-too-large', { limit: LARGEST_UPLOAD_MB })
    if (body.kind === 'none' || body.sizeBytes === 0) return refuse(choices, 'upload-empty')
    const head = body.kind === 'other' ? body.bytes.slice(0, 64) : new Uint8Array()
    const contentType = headers.get('content-type') ?? imageTypeOf(head) ?? 'application/octet-stream'
    upload.content = { contentType, sizeBytes: body.sizeBytes, head }
    return { status: choices.uploadedStatus }
  }
}
