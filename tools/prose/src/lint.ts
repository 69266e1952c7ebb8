import { extname } from 'node:path'

import { TextlintKernel } from '@textlint/kernel'
import markdown from '@textlint/textlint-plugin-markdown'
import type { TextlintPluginCreator, TextlintRuleModule } from '@textlint/types'
import words from 'textlint-rule-prh'
import sentenceLength from 'textlint-rule-sentence-length'

import { proseOfCode } from './documents.ts'
import { prhRules, readWords } from './words.ts'

export interface Finding {
  readonly line: number
  readonly column: number
  readonly message: string
}

const ruleOf = (module: unknown): TextlintRuleModule =>
  ((module as { default?: TextlintRuleModule }).default ?? module) as TextlintRuleModule
const pluginOf = (module: unknown): TextlintPluginCreator =>
  ((module as { default?: TextlintPluginCreator }).default ?? module) as TextlintPluginCreator

const groups = readWords()
const wordOptions = (startsSentence: boolean) => ({
  ruleContents: [prhRules(groups.filter((group) => (group.startsSentence ?? false) === startsSentence))],
  checkLink: true,
  checkEmphasis: true,
  checkHeader: !startsSentence,
})
const kernel = new TextlintKernel()
const options = {
  plugins: [
    { pluginId: 'markdown', plugin: pluginOf(markdown) },
    { pluginId: 'code', plugin: proseOfCode as unknown as TextlintPluginCreator },
  ],
  rules: [
    { ruleId: 'words', rule: ruleOf(words), options: wordOptions(false) },
    { ruleId: 'sentence-start', rule: ruleOf(words), options: wordOptions(true) },
    { ruleId: 'sentence-length', rule: ruleOf(sentenceLength), options: { max: 260 } },
  ],
}

/** Checks one file. The extension of `path` determines how the file is read: `.md`, `.ts` or `.yaml`. */
export async function lintProse(path: string, text: string): Promise<readonly Finding[]> {
  const { messages } = await kernel.lintText(text, { ...options, filePath: path, ext: extname(path) })
  return messages.map(({ loc, message }) => ({
    line: loc.start.line,
    column: loc.start.column,
    message: message.replace(' => ', ': write ').split('\n')[0] ?? message,
  }))
}
