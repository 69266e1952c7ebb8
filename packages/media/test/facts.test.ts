import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

import { expect, it } from 'vitest'

import * as media from '../src/index.ts'
import { FAILURE_CODES, INPUT_LIMITS_MB, MAX_INPUT_URL_CHARACTERS, TIERS } from '../src/index.ts'
import type { GenerationPaths } from '../src/requests.ts'

// The contract is the one place where these facts stand; here its tables are read and compared.
const contract = readFileSync(
  createRequire(import.meta.url).resolve('@concord/specs/media/openapi.yaml'),
  'utf8',
)

/** The cells of the rows of the table under a heading of the contract. */
function table(heading: string): string[][] {
  const section = contract.split(`    ## ${heading}\n`)[1]?.split('\n    ## ')[0] ?? ''
  const rows = section.split('\n').filter((line) => line.startsWith('    |'))
  return rows.slice(2).map((row) =>
    row
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  )
}

const figures = (cell: string | undefined) => {
  const [min, max = min] = (cell ?? '').replaceAll(',', '').split('-').map(Number)
  return { min, max }
}

it('types name the endpoint of each operation as the contract does', () => {
  const paths: { readonly [Name in keyof GenerationPaths]: GenerationPaths[Name] } = {
    imageToVideo: '/v1/image_to_video',
    textToVideo: '/v1/text_to_video',
    videoToVideo: '/v1/video_to_video',
    characterPerformance: '/v1/character_performance',
    textToImage: '/v1/text_to_image',
    textToSpeech: '/v1/text_to_speech',
    soundEffect: '/v1/sound_effect',
    voiceIsolation: '/v1/voice_isolation',
    voiceDubbing: '/v1/voice_dubbing',
    speechToSpeech: '/v1/speech_to_speech',
  }
  const operations: Readonly<Record<string, unknown>> = media
  for (const [name, path] of Object.entries(paths)) expect(operations[name], name).toMatchObject({ path })
})

it('input limits are those of the contract', () => {
  const rows = table('Inputs').map(([type, ...cells]) => {
    const [url, dataUri, upload] = cells.map((cell) => Number(/^(\d+) MB$/.exec(cell)?.[1]))
    return [type?.toLowerCase(), { url, dataUri, upload }]
  })
  expect(rows.length).toBe(3)
  expect(Object.fromEntries(rows)).toEqual(INPUT_LIMITS_MB)
  expect(contract).toContain(`at most ${MAX_INPUT_URL_CHARACTERS.toLocaleString('en')} characters`)
})

it('tiers are those of the contract', () => {
  const rows = table('Tiers').map(([tier, concurrency, dailyGenerations, cap]) => [
    Number.parseInt(tier ?? '', 10),
    {
      concurrency: figures(concurrency),
      dailyGenerations: figures(dailyGenerations),
      monthlyCapUsd: figures(cap).min,
    },
  ])
  expect(rows.length).toBe(5)
  expect(Object.fromEntries(rows)).toEqual(TIERS)
})

it('failure codes and their advice are those of the contract', () => {
  const advice = { no: 'none', yes: 'retry', 'fix input': 'fix-input' } as const
  const rows = table('Task failure codes').map(([code, , retry = '']) => {
    const different = retry === 'yes, with a different prompt'
    const word = retry.split(';')[0] as keyof typeof advice
    return [
      code?.replaceAll('`', ''),
      {
        advice: different ? 'change-prompt' : advice[word],
        refundable: retry.endsWith('not refundable') ? false : undefined,
      },
    ]
  })
  expect(rows.length).toBe(5)
  expect(FAILURE_CODES).toMatchObject(Object.fromEntries(rows))
  expect(Object.keys(FAILURE_CODES)).toHaveLength(5)
})
