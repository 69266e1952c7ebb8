import { defined } from '../../core/json.ts'
import { mediaEssence } from '../../core/request-body.ts'
import type { MediaChoices } from '../choices.ts'
import type { InputProblem, InputRule, MediaInput, MediaKind, TransferWay } from '../model.ts'
import type { Uploads } from '../uploads.ts'
import { IMAGE_TYPES, imageTypeOf, inputLimitMb, MAX_INPUT_URL_LENGTH, readDataUri } from './formats.ts'

export interface InputTools {
  readonly choices: MediaChoices
  readonly allowLocalInputs: boolean
  readonly uploads: Uploads
}

interface Content {
  readonly mediaType: string
  /** The size to compare with the limit, in bytes. */
  readonly size: number
  /** The first bytes of the file, if known. */
  readonly head?: Uint8Array
}

/** `verdict` says whether the request is rejected or the task fails. */
export interface BadInput extends InputProblem {
  readonly verdict: 'rejected' | 'failed'
}

/**
 * Checks an input against the documented rules. `choices.judgeInput` then makes the final decision on every input,
 * because the documentation leaves some cases open.
 */
export async function checkInput(
  input: MediaInput,
  organization: string,
  tools: InputTools,
): Promise<BadInput | undefined> {
  const { choices } = tools
  const { field } = input
  const knownWay = wayOf(input.value, choices.uploads.scheme)
  const content: Content | Broken = knownWay
    ? await readContent(input, organization, knownWay, tools)
    : { rule: 'address', reason: 'must be an HTTPS URL, a data URI or the URI of an upload' }
  const way = knownWay ?? 'url'
  const toProblem = ({ rule, reason }: Broken): InputProblem => ({
    field,
    way,
    rule,
    reason: `${field} ${reason}`,
  })
  const broken = 'rule' in content ? content : checkContent(content, input, way, choices)
  const mediaType = 'mediaType' in content ? content.mediaType : undefined
  const facts = { kind: kindOf(mediaType ?? ''), mediaType, problem: broken && toProblem(broken) }
  const verdict = choices.judgeInput({ field, way, ...defined(facts) })
  if (verdict === 'accepted') return undefined
  return { ...toProblem(broken ?? notAccepted(content as Content)), verdict }
}

function checkContent(
  { mediaType, head, size }: Content,
  { kinds }: MediaInput,
  way: TransferWay,
  { sizes }: MediaChoices,
): Broken | undefined {
  const kind = kindOf(mediaType)
  if (!kind || !kinds.includes(kind))
    return {
      rule: 'type',
      reason: `must be ${kinds.map((one) => `${one}/*`).join(' or ')}, not ${mediaType}`,
    }
  if (kind === 'image' && !IMAGE_TYPES.includes(mediaType)) return notAccepted({ mediaType })
  if (kind === 'image' && head && imageTypeOf(head) !== mediaType)
    return { rule: 'type', reason: `is declared as ${mediaType}, but its first bytes do not match this type` }
  const limitMb = inputLimitMb(kind, way)
  return size > limitMb * sizes.megabyteBytes
    ? {
        rule: 'size',
        reason: `has ${size} bytes, but the limit for ${kind} inputs sent as \`${way}\` is ${limitMb} MB`,
      }
    : undefined
}

function notAccepted({ mediaType }: Pick<Content, 'mediaType'>): Broken {
  const isOtherImage = kindOf(mediaType) === 'image' && !IMAGE_TYPES.includes(mediaType)
  const hint = isOtherImage ? ' (send JPEG, PNG or WebP)' : ''
  return { rule: 'type', reason: `is ${mediaType}, which is not accepted${hint}` }
}

function wayOf(value: string, uploadScheme: string): TransferWay | undefined {
  const text = value.toLowerCase()
  if (text.startsWith('data:')) return 'data-uri'
  if (text.startsWith(`${uploadScheme}://`)) return 'upload'
  return /^https?:\/\//.test(text) && URL.canParse(value) ? 'url' : undefined
}

type Broken = { rule: InputRule; reason: string }

function readContent(
  input: MediaInput,
  organization: string,
  way: TransferWay,
  tools: InputTools,
): Content | Broken | Promise<Content | Broken> {
  const { choices } = tools
  if (way === 'data-uri') {
    const read = readDataUri(input.value)
    if ('problem' in read) return { rule: 'data-uri', reason: read.problem }
    const { mediaType, head } = read
    return {
      mediaType,
      head,
      size: choices.sizes.dataUri === 'encoded' ? read.encodedSize : read.decodedSize,
    }
  }
  if (way === 'upload') {
    const content = tools.uploads.byUri(input.value, organization)?.content
    return content
      ? { mediaType: mediaEssence(content.contentType), size: content.sizeBytes, head: content.head }
      : {
          rule: 'upload',
          reason: 'must be the URI of an upload that has received its content and has not expired',
        }
  }
  return checkUrl(input.value, tools.allowLocalInputs) ?? fetchHead(input, choices)
}

function checkUrl(value: string, allowLocalInputs: boolean): Broken | undefined {
  const { protocol, hostname } = new URL(value)
  if (value.length > MAX_INPUT_URL_LENGTH)
    return {
      rule: 'url-length',
      reason: `has ${value.length} characters, but the limit is ${MAX_INPUT_URL_LENGTH}`,
    }
  if (allowLocalInputs) return undefined
  if (protocol !== 'https:') return { rule: 'https', reason: 'must be an HTTPS URL' }
  // The URL parser normalizes every spelling of an IPv4 address to four numbers.
  if (hostname.startsWith('[') || /^\d+(\.\d+){3}$/.test(hostname))
    return { rule: 'domain-name', reason: 'must have a domain name, not an IP address' }
  return undefined
}

async function fetchHead(input: MediaInput, choices: MediaChoices): Promise<Content | Broken> {
  let response: Response
  try {
    response = await choices.headInput(input.value, input.kinds[0] ?? 'image')
  } catch (error) {
    return { rule: 'head', reason: `could not be fetched: ${String(error)}` }
  }
  const { status, headers } = response
  if (response.redirected || (status >= 300 && status < 400))
    return { rule: 'redirect', reason: 'responds with a redirect, which is not followed' }
  if (!response.ok) return { rule: 'head', reason: `responds to HEAD with ${status}` }
  const mediaType = mediaEssence(headers.get('content-type') ?? '')
  if (!/^[\w.+-]+\/[\w.+-]+$/.test(mediaType))
    return { rule: 'content-type', reason: 'is served without a valid Content-Type' }
  const length = headers.get('content-length') ?? ''
  if (!/^\d+$/.test(length))
    return { rule: 'content-length', reason: 'is served without a valid Content-Length' }
  return { mediaType, size: Number(length) }
}

function kindOf(mediaType: string): MediaKind | undefined {
  const [type] = mediaType.split('/')
  return type === 'image' || type === 'video' || type === 'audio' ? type : undefined
}
