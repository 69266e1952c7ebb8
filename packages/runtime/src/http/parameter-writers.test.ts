import { describe, expect, it } from 'vitest'

import {
  type ParameterWriter,
  writeCommas,
  writeCookies,
  writeCookiesExploded,
  writeDeepObject,
  writeForm,
  writeFormQuery,
  writeHeader,
  writeHeaderExploded,
  writeJson,
  writeJsonHeader,
  writeJsonSegment,
  writeLabel,
  writeLabelExploded,
  writeMatrix,
  writeMatrixExploded,
  writePipes,
  writeSimple,
  writeSimpleExploded,
  writeSpaces,
} from './parameter-writers.ts'

const list = ['blue', 'black', 'brown']
const members = { R: 100, G: 200, B: 150 }

/** "Style Examples" of OpenAPI 3.1 and 3.2: an empty string, a string, an array and an object called `color`. */
const examples: Readonly<Record<string, readonly [ParameterWriter, ...(string | undefined)[]]>> = {
  'matrix': [writeMatrix, ';color', ';color=blue', ';color=blue,black,brown', ';color=R,100,G,200,B,150'],
  'matrix, exploded': [writeMatrixExploded, ';color', ';color=blue', ';color=blue;color=black;color=brown', ';R=100;G=200;B=150'],
  'label': [writeLabel, '.', '.blue', '.blue,black,brown', '.R,100,G,200,B,150'],
  'label, exploded': [writeLabelExploded, '.', '.blue', '.blue.black.brown', '.R=100.G=200.B=150'],
  'simple': [writeSimple, '', 'blue', 'blue,black,brown', 'R,100,G,200,B,150'],
  'simple, exploded': [writeSimpleExploded, '', 'blue', 'blue,black,brown', 'R=100,G=200,B=150'],
  'simple in a header': [writeHeader, '', 'blue', 'blue,black,brown', 'R,100,G,200,B,150'],
  'simple in a header, exploded': [writeHeaderExploded, '', 'blue', 'blue,black,brown', 'R=100,G=200,B=150'],
  'form': [writeCommas, 'color=', 'color=blue', 'color=blue,black,brown', 'color=R,100,G,200,B,150'],
  'form, exploded': [writeForm, 'color=', 'color=blue', 'color=blue&color=black&color=brown', 'R=100&G=200&B=150'],
  'form as the whole query': [writeFormQuery, 'color=', 'color=blue', 'color=blue&color=black&color=brown', 'R=100&G=200&B=150'],
  'cookie': [writeCookies, 'color=', 'color=blue', 'color=blue,black,brown', 'color=R,100,G,200,B,150'],
  'cookie, exploded': [writeCookiesExploded, 'color=', 'color=blue', 'color=blue; color=black; color=brown', 'R=100; G=200; B=150'],
  'spaceDelimited': [writeSpaces, undefined, undefined, 'color=blue%20black%20brown', 'color=R%20100%20G%20200%20B%20150'],
  'pipeDelimited': [writePipes, undefined, undefined, 'color=blue%7Cblack%7Cbrown', 'color=R%7C100%7CG%7C200%7CB%7C150'],
  'deepObject': [writeDeepObject, undefined, undefined, undefined, 'color%5BR%5D=100&color%5BG%5D=200&color%5BB%5D=150'],
} // prettier-ignore

describe('a parameter is written as OpenAPI shows it, in the style', () => {
  it.each(Object.entries(examples).map(([style, [write, ...expected]]) => ({ style, write, expected })))(
    '$style',
    ({ write, expected }) => {
      for (const [index, value] of ['', 'blue', list, members].entries()) {
        const responseMode = expected[index]
        if (responseMode !== undefined) expect(write('color', value)).toBe(responseMode)
      }
    },
  )
})

describe('a parameter', () => {
  const all = Object.values(examples).map(([write]) => write)

  it('is not sent in any style if it is missing or an empty list', () => {
    for (const write of all) for (const value of [undefined, null, []]) expect(write('a', value)).toBe(undefined)
  })

  it('is escaped in every style but in headers and that of cookies, its name and the names of its members included', () => {
    const plain = new Set<ParameterWriter>([writeHeader, writeHeaderExploded, writeCookies, writeCookiesExploded])
    for (const write of all.filter((each) => !plain.has(each))) {
      for (const value of ['a&b=c/d?e#f;g.h,i', ['&', '/', ','], { '&/': '&/', '#': '?' }])
        expect(write('&n', value)).toMatch(/^(?:[\w.;,&=*()!'~-]|%[0-9A-F]{2})*$/)
      expect(write('n', '&a')).not.toContain('&a')
      expect(write('n', '/')).not.toContain('/')
    }
    expect(writeHeader('n', ['a b', 'c/d'])).toBe('a b,c/d')
  })

  it('whose content is JSON is written as JSON', () => {
    expect(writeJson('f', { a: [1, 'b'] })).toBe('f=%7B%22a%22%3A%5B1%2C%22b%22%5D%7D')
    expect(writeJsonSegment('f', 'a/b')).toBe('%22a%2Fb%22')
    expect(writeJsonHeader('f', { a: 1 })).toBe('{"a":1}')
    for (const write of [writeJson, writeJsonSegment, writeJsonHeader]) expect(write('f', undefined)).toBe(undefined)
  })

  it('may be an object of objects and lists in the style deepObject', () => {
    expect(writeDeepObject('f', { a: { b: [1, 2] }, c: undefined, d: null, e: true })).toBe(
      'f%5Ba%5D%5Bb%5D=1&f%5Ba%5D%5Bb%5D=2&f%5Be%5D=true',
    )
  })

  it('leaves out the members that are missing', () => {
    expect(writeCommas('f', { a: undefined, b: null, c: 1 })).toBe('f=c,1')
  })

  it('may hold a date', () => {
    expect(writeCommas('at', [new Date(0)])).toBe('at=1970-01-01T00%3A00%3A00.000Z')
  })
}) // prettier-ignore
