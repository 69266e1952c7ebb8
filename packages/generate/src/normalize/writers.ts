/**
 * The runtime functions that write parameters, by place and style. The second function of each pair is for
 * `explode: true`.
 */
export const WRITERS: { readonly [placeAndStyle: string]: readonly [string, string] } = {
  'query form': ['writeCommas', 'writeForm'],
  'query spaceDelimited': ['writeSpaces', 'writeForm'],
  'query pipeDelimited': ['writePipes', 'writeForm'],
  'query deepObject': ['writeDeepObject', 'writeDeepObject'],
  'path simple': ['writeSimple', 'writeSimpleExploded'],
  'path label': ['writeLabel', 'writeLabelExploded'],
  'path matrix': ['writeMatrix', 'writeMatrixExploded'],
  'header simple': ['writeHeader', 'writeHeaderExploded'],
  'cookie form': ['writeCommas', 'writeCommas'],
  'cookie cookie': ['writeCookies', 'writeCookiesExploded'],
}

/** The runtime functions that write parameters as JSON, by place. */
export const JSON_WRITERS = {
  path: 'writeJsonSegment',
  query: 'writeJson',
  header: 'writeJsonHeader',
  cookie: 'writeJson',
} as const
