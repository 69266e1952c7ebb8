import { describe, expect, it } from 'vitest'

import { channelProblems, messageExampleProblems } from './checks/channels.ts'
import { eventDisagreements } from './checks/events.ts'
import { bodilessResponses, invalidExamples, missingExamples, previewProblems } from './checks/examples.ts'
import { silentOpenPlaces, unlabelledIllustrations } from './checks/not-shown.ts'
import { statusProblems, unexplainedLimits } from './checks/operations.ts'
import { keywordProblems, namingProblems, undescribed } from './checks/schemas.ts'
import { objectAt, readDocument, type JsonObject } from './document.ts'
import { parseAsyncApi, testedServices, testedWithEvents } from './services.ts'
import { walk } from './walk.ts'

describe.each(testedServices)('%s/openapi.yaml', (service) => {
  const document = readDocument(`${service}/openapi.yaml`)

  it('is an OpenAPI 3.1 document', () => {
    expect(document['openapi']).toBe('3.1.0')
  })

  it('only has placeholders under a reserved domain as servers', () => {
    const servers = walk(document).filter(({ kind }) => kind === 'server')
    const variables = servers.flatMap(({ value }) => Object.values(objectAt(value, 'variables')))
    for (const variable of variables)
      expect(new URL(String((variable as JsonObject)['default'])).hostname).toMatch(/\.example$/)
  })

  it('only has examples that their schema accepts', () => {
    expect(invalidExamples(document)).toEqual([])
    expect(previewProblems(document)).toEqual([])
  })

  it('has a named example with a summary for every body, response and path parameter', () => {
    expect(missingExamples(document)).toEqual([])
    expect(bodilessResponses(document)).toEqual([])
  })

  it('has x-not-shown wherever a schema is open', () => {
    expect(silentOpenPlaces(document)).toEqual([])
    expect(unlabelledIllustrations(document)).toEqual([])
  })

  it('only has numbers as success statuses, and default only for errors', () => {
    expect(statusProblems(document)).toEqual([])
  })

  it('says what every 429 means', () => {
    expect(unexplainedLimits(document)).toEqual([])
  })

  it('only uses keywords that every reader of a contract supports', () => {
    expect(keywordProblems(document)).toEqual([])
  })

  it('names and describes every object, enum and open value', () => {
    expect(namingProblems(document)).toEqual([])
    expect(undescribed(document)).toEqual([])
  })
})

describe.each(testedWithEvents)('%s/asyncapi.yaml', (service) => {
  const file = `${service}/asyncapi.yaml`

  it('is parsed by the AsyncAPI parser without an error or warning', async () => {
    expect((await parseAsyncApi(file)).complaints).toEqual([])
  })

  it('has x-not-shown wherever a schema is open', () => {
    expect(silentOpenPlaces(readDocument(file))).toEqual([])
  })

  it('only uses keywords that every reader of a contract supports, in named and described schemas', () => {
    const document = readDocument(file)
    expect(keywordProblems(document)).toEqual([])
    expect(namingProblems(document)).toEqual([])
    expect(undescribed(document)).toEqual([])
  })

  it('has channels whose messages and rules fit together, and examples that their payloads accept', async () => {
    const { document } = await parseAsyncApi(file)
    expect(channelProblems(document)).toEqual([])
    expect(messageExampleProblems(document)).toEqual([])
  })

  it('is equivalent to the webhooks of the OpenAPI document', async () => {
    const { document } = await parseAsyncApi(file)
    expect(eventDisagreements(readDocument(`${service}/openapi.yaml`), document)).toEqual([])
  })
})
