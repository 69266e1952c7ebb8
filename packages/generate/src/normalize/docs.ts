import { type Json, type JsonObject, isList } from '../read/json.ts'

/** The text of a documentation comment for a schema or a parameter; undefined if empty. */
export function docText(raw: JsonObject): string | undefined {
  return paragraphs(
    text(raw['title']),
    text(raw['description']),
    raw['default'] === undefined
      ? undefined
      : `The service's default: \`${JSON.stringify(raw['default'])}\`.`,
    notShown(raw['x-not-shown']),
  )
}

/** The text of a documentation comment: the summary or else the title, then the description. */
export function aboutText(raw: JsonObject): string | undefined {
  const head = text(raw['summary']) ?? text(raw['title'])
  return paragraphs(
    head === undefined ? undefined : sentence(head),
    text(raw['description']),
    notShown(raw['x-not-shown']),
  )
}

export function paragraphs(...parts: readonly (string | undefined)[]): string | undefined {
  const found = parts.filter((part) => part !== undefined)
  return found.length === 0 ? undefined : withoutEnd(found.join('\n\n'))
}

/** Escapes the characters that would end a comment. */
export function withoutEnd(text: string): string {
  return text.replaceAll('*/', String.raw`*\/`)
}

/** Adds a period to a string that doesn't end like a sentence. */
export function sentence(text: string): string {
  return /[.!?:]$/.test(text) ? text : `${text}.`
}

/** The maximum length of a note on one line. */
const MAX_NOTE = 160

/** A note about what the service's documentation doesn't say. A short note is one line; a long note is a list. */
export function notShown(list: Json | undefined): string | undefined {
  if (!isList(list) || list.length === 0) return undefined
  const sentences = list.map(String)
  const line = `Undocumented: ${sentences.map(asPhrase).join('; ')}.`
  const isShort = line.length <= MAX_NOTE && sentences.every((each) => !/[.;] /.test(each))
  return isShort || sentences.length === 1
    ? line
    : ['Undocumented:', ...sentences.map((each) => `- ${each}`)].join('\n')
}

/** Turns a sentence into a phrase that can follow a colon: `How long it may be.` becomes `how long it may be`. */
function asPhrase(sentence: string): string {
  const open = sentence.replace(/\.$/, '')
  return /^[A-Z][a-z]*(?: |$)/.test(open) ? open.charAt(0).toLowerCase() + open.slice(1) : open
}

/** Prepares a contract's string for use in a comment. */
export function text(value: Json | undefined): string | undefined {
  if (typeof value !== 'string') return undefined
  const plain = withoutHtml(value).trim()
  return plain === '' ? undefined : withoutEnd(plain)
}

const CODE = /(```[\s\S]*?```|`[^`\n]*`)/
const BREAKS = /[ \t]*<(?:br|\/?(?:p|div|h[1-6]|ul|ol|table|tr|pre))(?:\s[^<>]*)?\/?>[ \t]*/gi
const OTHERS = /<\/?(?:a|b|i|u|em|strong|span|small|sub|sup|font|li|td|th|tbody|thead)(?:\s[^<>]*)?>/gi

/** Removes HTML tags, which editors don't render in comments. Code and placeholders such as `<name>` stay unchanged. */
function withoutHtml(text: string): string {
  if (!text.includes('<')) return text
  return text
    .split(CODE)
    .map((part, index) =>
      index % 2 === 1
        ? part
        : part
            .replaceAll(/<\/?code>/gi, '`')
            .replaceAll(/\s*<li(?:\s[^<>]*)?>\s*/gi, '\n- ')
            .replaceAll(BREAKS, '\n')
            .replaceAll(OTHERS, ''),
    )
    .join('')
    .replaceAll(/\n[ \t]*\n(?:[ \t]*\n)+/g, '\n\n')
}
