import { OptionsError } from '@concord/runtime'

/** In characters. A longer unfinished sentence is split, at a space if possible. */
const MAX_LENGTH = 1000

/**
 * Joins pieces of text, such as the tokens of a language model, into whole sentences. The service speaks whole
 * sentences better than single words, and each string that you pass to `speak` becomes a message of its own. A
 * sentence is yielded as soon as the next sentence starts.
 *
 * @param pieces Strings as they arrive.
 * @param locale The language of the text as a BCP 47 tag; default `en`. Where sentences end depends on the language.
 * @throws OptionsError if `locale` isn't a valid tag; any error that `pieces` throws.
 * @example
 * ```ts
 * await voice.speak(sentences(modelReply()))
 * ```
 *
 * @public
 */
export async function* sentences(
  pieces: AsyncIterable<string> | Iterable<string>,
  locale = 'en',
): AsyncGenerator<string, void, undefined> {
  const segmenter = toSegmenter(locale)
  let text = ''
  for await (const piece of pieces) {
    text += piece
    const parts = [...segmenter.segment(text)].map(({ segment }) => segment)
    // The last sentence may be incomplete.
    text = parts.pop() ?? ''
    yield* parts.map((part) => part.trim()).filter((part) => part !== '')
    while (text.length > MAX_LENGTH) {
      const space = text.lastIndexOf(' ', MAX_LENGTH)
      const end = space > 0 ? space : MAX_LENGTH
      yield text.slice(0, end).trim()
      text = text.slice(end)
    }
  }
  if (text.trim() !== '') yield text.trim()
}

function toSegmenter(locale: string): Intl.Segmenter {
  try {
    return new Intl.Segmenter(locale, { granularity: 'sentence' })
  } catch (cause) {
    throw new OptionsError(
      'locale',
      'must be a BCP 47 language tag.',
      'Pass a tag such as `en` or `de-CH`.',
      {
        cause,
      },
    )
  }
}
