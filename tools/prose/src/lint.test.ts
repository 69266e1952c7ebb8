import { describe, expect, it } from 'vitest'

import { lintProse } from './lint.ts'

/** Sentences that native readers had to read twice. */
const OLD_VOICE = [
  'Option timeout: is not known. Did you mean timeoutMs? Known are: signal, …',
  'Option credentials.apiKey: is missing, and getJob needs it. Give it.',
  'is not a text, or empty.',
  'The session was closed, and is refreshed no more. Take it up again with another one.',
  'In a page, serve all files of its build, and load the page again: a browser does not ask twice.',
  'the service answered 503: it failed; this is not about the request.',
  'The store now holds a session of somebody else, which is not taken over.',
  'Mend the handler or the choice that made it.',
  '2 the command cannot be used so',
  'and 3 more of such findings',
  '429: too much of something; `meaning` says of what, where the contract tells.',
  'not there when it asked nothing',
  'Making one opens nothing. Its secrets are in no log, error, event or inspection.',
  'The service processes it while nobody waits, too.',
  'Functions that stand beside the client, so that who does not use them does not load them, reach it here.',
  'Puts what a schema has against a value into words. A reason may quote the value.',
  'What is no signal is refused by whoever reads these options next.',
  'Whether at most two letters are other, missing or too many, and not half of them.',
  'An answer that nobody waits for is not reckoned with any longer than this.',
  'one that is lost sooner goes on with the same troubles.',
  'With this process a pair that could not be stored is gone. That it could not be was told already.',
  'Who does not wait is refused beyond 4 MiB with `socket-overflow`.',
  'Importing it loads nothing of the network and opens nothing; that is left to the first call.',
  'and shows your key nowhere',
  'R-35: a hint during a poll leads to another one right after it, since the answer may be older',
  'a name that is no option is refused, never ignored',
  'Uploads of browsers go out as a Blob, since requests there carry no streams',
  'Tests of validation stand in files of their own; alike parts of quick checks are one function',
  'What stands in place of a value.',
  'What comes before it has an owner is kept.',
  'Gives the schema.',
  'Told after every poll.',
  'Nobody may be waiting when it comes.',
]

/** The same things in plain English. */
const PLAIN = [
  'Unknown option `timeout`. Did you mean `timeoutMs`? Valid options: `signal`.',
  'This session is closed and no longer refreshes. Call `resume()` to start a new one.',
  'the service returned 503. The problem is on the side of the service, not in your request.',
  'There is no limit on the number of waits.',
  'What does it cost? Run the estimate first.',
  'The connection was refused.',
  'Retries stop when the budget runs out or the caller gives up.',
]

const asComment = (sentence: string): string => `/** ${sentence} */\nexport const a = 1\n`
const asString = (sentence: string): string => `throw new Error(${JSON.stringify(sentence)})\n`
const asDescription = (sentence: string): string => `info:\n  description: ${JSON.stringify(sentence)}\n`

describe('prose', () => {
  it.each(OLD_VOICE)('reports in Markdown, comments, strings and contracts: %s', async (sentence) => {
    expect(await lintProse('a.md', `${sentence}\n`)).not.toEqual([])
    expect(await lintProse('a.ts', asComment(sentence))).not.toEqual([])
    expect(await lintProse('a.ts', asString(sentence))).not.toEqual([])
    expect(await lintProse('a.yaml', asDescription(sentence))).not.toEqual([])
  })

  it.each(PLAIN)('accepts plain English: %s', async (sentence) => {
    expect(await lintProse('a.md', `${sentence}\n`)).toEqual([])
    expect(await lintProse('a.ts', asComment(sentence))).toEqual([])
    expect(await lintProse('a.ts', asString(sentence))).toEqual([])
    expect(await lintProse('a.yaml', asDescription(sentence))).toEqual([])
  })

  it('finds phrases across the lines of a comment, with the line in which they start', async () => {
    const text =
      'const a = 1\n\n/**\n * Tries the whole request\n * anew, and then the rest is\n * told of it.\n */\n'
    expect((await lintProse('a.ts', text)).map(({ line }) => line)).toEqual([5, 5])
  })

  it('finds phrases across the lines of Markdown', async () => {
    expect(await lintProse('a.md', 'The caller is\ntold.\n')).toMatchObject([{ line: 1 }])
  })

  it('ignores code in backticks, substitutions, identifiers and blocks', async () => {
    expect(await lintProse('a.ts', 'const whoever = `no ${whoever} of the ${nobody} here`\n')).toEqual([])
    expect(await lintProse('a.ts', '/** Calls `whoever` once. */\n')).toEqual([])
    expect(await lintProse('a.md', 'Call `whoever`.\n\n```ts\nwhoever()\n```\n')).toEqual([])
  })

  it('ignores programs in strings', async () => {
    const program = "\nconst list = await import('list')\nlist.find((whoever) => whoever.is told)\n"
    expect(await lintProse('a.ts', `await run(\`${program}\`)\n`)).toEqual([])
  })

  it('ignores HTML and CSS in template strings', async () => {
    const page = '<main><p>${nobody}</p></main> '.repeat(20)
    expect(await lintProse('a.ts', `const page = \`${page}\`\n`)).toEqual([])
    const style = `main p { color: red; margin: 0 auto 1px 1px } ${'ul { margin: 0 }; '.repeat(30)}`
    expect(await lintProse('a.ts', `const style = \`${style}\`\n`)).toEqual([])
  })

  it('ignores SQL statements, but not the strings in them', async () => {
    expect(await lintProse('a.ts', "sql`select nobody from ${table('somebody and more')}`\n")).toMatchObject([
      { message: expect.stringContaining('somebody') },
    ])
  })

  it('rejects sentences of more than two and a half lines', async () => {
    const long = `It ${'calls and '.repeat(40)}ends.`
    expect(await lintProse('a.md', `${long}\n`)).toMatchObject([{ line: 1 }])
    expect(await lintProse('a.ts', asComment(long))).toMatchObject([{ line: 1 }])
  })
})
