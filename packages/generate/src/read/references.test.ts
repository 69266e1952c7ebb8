import { describe, expect, it } from 'vitest'

import { readService } from '../normalize/service.ts'
import { applyOverlays } from '../overlay/apply.ts'
import { GenerationError } from '../problems.ts'
import { fileOf, addressOf } from './documents.ts'
import { readReferences } from './references.ts'
import { type Source, parseSource, parseTree } from './source.ts'
import { accepted, departuresOf, loadSchemas, modelOf, printed } from '../../test/support/generated.ts'

const text = { type: 'string' }
const component = (schema: object) => ({
  openapi: '3.0.3',
  info: { title: 'Test', version: '1' },
  paths: {},
  components: { schemas: { Thing: schema } },
})
const sourceOf = (value: object, file: string): Source =>
  parseSource(JSON.stringify(value, undefined, 1), file)

/** Reads from these files, and records which files were read. */
function folderOf(files: Readonly<Record<string, object>>) {
  const asked: string[] = []
  const read = async (input: string): Promise<Source> => {
    asked.push(input)
    const found = files[input]
    if (found) return sourceOf(found, input)
    throw new GenerationError([{ place: { file: input, pointer: '#' }, reason: 'not found' }])
  }
  return { asked, read }
}

describe('the documents that a contract refers to', () => {
  it('are read once each, wherever a relative path leads, and through one another', async () => {
    const { asked, read } = folderOf({
      'common/all.json': { a: { $ref: '../specs/more.json#/b' }, c: { $ref: './all.json#/a' }, nullable: { ...text, nullable: true } },
      'specs/more.json': { b: { $ref: '../../outside/my%20types.json' } },
      '../outside/my types.json': { $ref: '../root/common/all.json#/c' },
      '../root/common/all.json': { c: text },
    }) // prettier-ignore
    const source = sourceOf(
      component({
        properties: { a: { $ref: '../common/all.json#/nullable' }, default: { $ref: 'more.json#/b' } },
      }),
      'specs/openapi.json',
    )
    const { others, unread } = await readReferences([source], read)
    expect(unread).toEqual([])
    expect(asked).toEqual([
      'common/all.json',
      'specs/more.json',
      '../outside/my types.json',
      '../root/common/all.json',
    ])
    const model = await modelOf(source, { others, unread })
    expect(departuresOf(model)).toEqual([])
    expect(model.referred.map(({ file }) => file)).toEqual(asked)
    // The document has the keywords of the version of the document that refers to it.
    expect(JSON.stringify([...model.schemas.values()])).toContain('[{"type":"string"},{"type":"null"}]')
  })

  it('that an overlay adds and that cannot be read leave out the `not` around them', async () => {
    const document = JSON.stringify({
      openapi: '3.1.0',
      info: { title: 'Test', version: '1' },
      paths: {},
      components: { schemas: { Open: { description: 'Open.' } } },
    })
    const overlay = JSON.stringify({
      overlay: '1.1.0',
      info: { title: 'Test', version: '1' },
      actions: [{ target: '$.components.schemas.Open', update: { not: { $ref: 'gone.json' } } }],
    })
    const { source } = applyOverlays(parseTree(document, 'openapi.json'), [
      parseTree(overlay, 'overlay.json'),
    ])
    const { unread } = await readReferences([source], () => Promise.reject(new GenerationError([])))
    expect(unread.map(({ place, at }) => [place.file, at.file])).toEqual([['overlay.json', 'openapi.json']])
    const model = await modelOf(source, { unread })
    expect(accepted(await loadSchemas(await printed(model)), 'open', [1, 'a', null])).toEqual([1, 'a', null])
  })

  it.each(['', '#', 'http://['])('are found beside a schema with the address `%s`', async ($id) => {
    const schemas = {
      Odd: { $id, type: 'integer' },
      Thing: { $ref: '#/components/schemas/Name' },
      Name: text,
    }
    const document = { ...component({}), openapi: '3.1.0', components: { schemas } }
    const model = await modelOf(sourceOf(document, 'openapi.json'))
    expect(departuresOf(model)).toEqual([])
    expect(model.schemas.get('Thing')).toEqual({ $ref: '#/components/schemas/Name' })
  })

  it('lead to an address that is noted if it is wrong, relative or taken', async () => {
    const at = '#/components/schemas'
    const schemas = {
      Empty: { $id: '' },
      Number: { $id: 7 },
      Invalid: { $id: 'http://[' },
      Fragment: { $id: '#part' },
      Relative: { $id: 'other.json', $defs: { more: { $id: 'more.json' } } },
      First: { $id: 'https://a.example/thing', $defs: { inner: { $id: 'inner', $anchor: 'a' } } },
      Second: { $id: 'https://a.example/thing', $defs: { a: { $anchor: 'a' }, b: { $anchor: 'a' } } },
      Named: { type: 'object', properties: { $id: text }, 'x-thing': { $id: 'a' }, example: { $id: 'a' } },
    }
    const document = { ...component({}), openapi: '3.1.0', components: { schemas } }
    const { departures } = await modelOf(sourceOf(document, 'specs/openapi.json'))
    const found = departures.filter(({ place }) => /[$](?:id|anchor)$/.test(place.pointer))
    expect(found.map(({ effect }) => effect)).toEqual(found.map(() => 'noted'))
    expect(found.map(({ place, reason }) => [place.pointer, reason])).toEqual([
      [`${at}/Empty/$id`, "`$id` has no effect, because its value isn't a URI"],
      [`${at}/Number/$id`, "`$id` has no effect, because its value isn't a URI"],
      [`${at}/Invalid/$id`, "`http://[` has no effect, because it isn't a URI"],
      [`${at}/Fragment/$id`, '`#part` has a fragment, which some tools reject; use `$anchor`'],
      [`${at}/Relative/$id`, '`other.json` is relative: the address of this schema is `specs/other.json`, and its references are relative to that address; use an absolute URI'],
      [`${at}/Second/$id`, `\`https://a.example/thing\` is also the address of ${at}/First, and references lead there`],
      [`${at}/Second/$defs/b/$anchor`, `\`$anchor: a\` also occurs at ${at}/Second/$defs/a; references lead to the last occurrence`],
    ])
  }) // prettier-ignore

  it('are not those that a schema with an address of its own already is', async () => {
    const { asked, read } = folderOf({})
    const schema = {
      $id: 'https://a.example/thing',
      properties: { a: { $ref: 'other' }, b: { $ref: '#/properties/a' } },
      $defs: { other: { $id: 'other', ...text } },
    }
    expect(await readReferences([sourceOf(component(schema), 'openapi.json')], read)).toEqual({
      others: [],
      unread: [],
    })
    expect(asked).toEqual([])
  })

  it('are named with the place that refers to them if they cannot be read; then the place is open', async () => {
    const { read } = folderOf({})
    const properties = {
      a: { $ref: 'gone.json' },
      b: { $ref: 'gone.json#/x' },
      c: { $ref: 'file:///etc/hosts' },
      d: { $ref: '/etc/hosts' },
      e: { $ref: 'urn:thing' },
    }
    const source = sourceOf(component({ properties }), 'openapi.json')
    const { others, unread } = await readReferences([source], read)
    const at = '#/components/schemas/Thing/properties'
    const absolute = 'a reference to another file must be an http(s) address, or a path relative to this file'
    expect(unread).toMatchObject([
      { place: { file: 'openapi.json', pointer: `${at}/a/$ref`, line: 13 }, reason: "`gone.json` can't be followed: not found" },
      { place: { pointer: `${at}/b/$ref` }, reason: "`gone.json#/x` can't be followed: not found" },
      { place: { pointer: `${at}/c/$ref` }, reason: `\`file:///etc/hosts\` can't be followed: ${absolute}` },
      { place: { pointer: `${at}/d/$ref` }, reason: `\`/etc/hosts\` can't be followed: ${absolute}` },
      { place: { pointer: `${at}/e/$ref` }, reason: `\`urn:thing\` can't be followed: ${absolute}` },
    ]) // prettier-ignore
    const model = await modelOf(source, { others, unread })
    expect(model.departures.map(({ reason }) => reason)).toContain("`gone.json` can't be followed: not found")
    const strict = readService(source, undefined, { others, unread })
    await expect(strict).rejects.toThrow(/gone\.json` can't be followed/)
  })

  it('are asked for at the address that a document at an address means', async () => {
    const { asked, read } = folderOf({
      'https://a.example/b/c.json': { $ref: '/d.json' },
      'https://a.example/d.json': text,
    })
    const source = sourceOf(component({ $ref: 'https://a.example/b/c.json' }), 'openapi.json')
    expect((await readReferences([source], read)).unread).toEqual([])
    expect(asked).toEqual(['https://a.example/b/c.json', 'https://a.example/d.json'])
  })

  it('are no more than 500', async () => {
    const read = async (input: string): Promise<Source> =>
      sourceOf({ $ref: `n${Number(/\d+/.exec(input)?.[0]) + 1}.json` }, input)
    const { others, unread } = await readReferences(
      [sourceOf(component({ $ref: 'n0.json' }), 'openapi.json')],
      read,
    )
    expect(others).toHaveLength(500)
    expect(unread).toMatchObject([
      { place: { file: 'n499.json' }, reason: expect.stringContaining('no more than 500') },
    ])
  })

  it('may be AsyncAPI messages, which are never fetched by anything else', async () => {
    const { asked, read } = folderOf({
      'common/messages.yaml': {
        liked: { payload: { type: 'array', items: [text], additionalItems: false } },
        ignored: { payload: { $ref: 'http://localhost:1/never.json' } },
      },
    })
    const channels = {
      live: { address: '/live', messages: { liked: { $ref: '../common/messages.yaml#/liked' } } },
    }
    const source = sourceOf(
      { asyncapi: '3.0.0', info: { title: 'T', version: '1' }, channels },
      'specs/asyncapi.json',
    )
    const { others, unread } = await readReferences([source], read)
    expect(asked).toEqual(['common/messages.yaml', 'http://localhost:1/never.json'])
    expect(unread).toMatchObject([{ place: { file: 'common/messages.yaml', line: expect.any(Number) } }])
    const { channels: opened, schemas } = await modelOf(source, { others, unread })
    expect(opened[0]?.receives.messages).toMatchObject([{ key: 'liked', type: 'LiveLikedPayload' }])
    expect(JSON.stringify(schemas.get('LiveLikedPayload'))).toContain('"assert":"items"')
  })
})

it('turns an address back into the path of its file', () => {
  for (const file of ['a.json', 'up/b c.json', '../x.json', '../../up/x.json'])
    expect(fileOf(addressOf({ file }))).toBe(file)
  expect(fileOf('https://a.example/b')).toBeUndefined()
})
