/** One TypeScript block of a page, ready to be compiled. */
interface CodeBlock {
  /** The path of the page or source file, relative to the workspace root. */
  readonly page: string
  /** The number of the line where the block's code starts. */
  readonly line: number
  /** The block, preceded by the declarations that it needs. */
  readonly code: string
}

/**
 * Returns the TypeScript blocks in a Markdown page.
 *
 * A comment `<!-- given` ... `-->` contains declarations that blocks need but don't show, such as a URL or a key.
 * The declarations apply to all blocks up to the next `given` comment.
 */
export function codeBlocks(page: string, markdown: string): CodeBlock[] {
  const blocks: CodeBlock[] = []
  const lines = markdown.split('\n')
  let given: string[] = []
  for (let index = 0; index < lines.length; index++) {
    const line = lines[index] ?? ''
    if (line.startsWith('<!-- given')) {
      const end = lines.indexOf('-->', index)
      if (end === -1) throw new Error(`${page}:${index + 1}: close this comment with the line \`-->\``)
      given = lines.slice(index + 1, end)
      index = end
    } else if (/^```(ts|typescript)$/.test(line)) {
      const end = lines.indexOf('```', index)
      if (end === -1) throw new Error(`${page}:${index + 1}: the code block isn't closed`)
      // `export {}` turns a block without imports into a module, so that blocks don't share declarations.
      blocks.push({
        page,
        line: index + 2,
        code: [...given, ...lines.slice(index + 1, end), 'export {}', ''].join('\n'),
      })
      index = end
    }
  }
  return blocks
}

/** The declarations for the examples in each client's comments. The keys are folders in `packages`. */
const GIVEN: Readonly<Record<string, string>> = {
  extraction: `
import { Extraction, type JobHandle, type OptimizationHandle, type OptimizationRequest, webhookReceiver } from '@concord/extraction'
declare const extraction: Extraction, job: JobHandle, run: OptimizationHandle, request: OptimizationRequest, incoming: Request
declare const vault: { write(name: string, value: string): Promise<void> }`,
  media: `
import { audio, type BatchRequest, type ChangedFields, file, image, Media, type SessionHandle, type SucceededTask, type TaskHandle, video } from '@concord/media'
import { fileJournal } from '@concord/media/node'
declare const media: Media, task: TaskHandle, done: SucceededTask, session: SessionHandle, avatarId: string, requests: BatchRequest[]`,
  speech: `
import { liveTranscription, presets, sentences, Speech, type Synthesizer } from '@concord/speech'
declare const speech: Speech, voice: Synthesizer
declare const microphone: AsyncIterable<Uint8Array>, recording: AsyncIterable<Uint8Array>
declare function play(audio: Uint8Array): void
declare function modelReply(): AsyncIterable<string>`,
  'storage-auth': `
import { bearerCredential, createClient } from '@concord/runtime'
import { envStore, type Login, type Session, StorageAuth } from '@concord/storage-auth'
declare const storage: StorageAuth, session: Session, login: Login, password: string, code: string
declare const servers: Record<string, string>
declare const vault: { write(name: string, value: string): Promise<void> }`,
}

/**
 * Returns the `ts` blocks in the comments of a client's source file. If a block has no imports, its code starts with
 * the client's declarations from `GIVEN`.
 */
export function exampleBlocks(page: string, source: string): CodeBlock[] {
  const given = GIVEN[page.split('/')[1] ?? '']
  if (given === undefined) return []
  return [...source.matchAll(/^ *\* ```ts\n((?: *\*.*\n)*?) *\* ```$/gm)].map((match) => {
    const body = (match[1] ?? '').replaceAll(/^ *\* ?/gm, '')
    const line = source.slice(0, match.index).split('\n').length + 1
    // Inside `example()`, a block can redeclare a name from `given`.
    const code = /^import /m.test(body) ? body : `${given}\nexport async function example() {\n${body}}\n`
    return { page, line, code: `${code}export {}\n` }
  })
}
