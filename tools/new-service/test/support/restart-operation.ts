import { readFileSync } from 'node:fs'

/** Text to insert before a place in a file. */
interface Insertion {
  readonly file: string
  readonly place: string
  readonly text: string
}

const fixture = (name: string): string =>
  readFileSync(new URL(`../fixtures/restart/${name}.txt`, import.meta.url), 'utf8')

/** An operation for the service of the guide: the text to write for it, by file. */
export const restart = {
  contract: {
    file: 'specs/weather-stations/openapi.yaml',
    place: '  /v1/stations/{station_id}/reading:\n',
    text: fixture('contract'),
  },
  handler: {
    file: 'packages/emulator/src/weather-stations/handlers/weather-stations.ts',
    place: '    getReading: {\n',
    text: fixture('handler'),
  },
  walk: {
    file: 'packages/weather-stations/contract/walk.ts',
    place: '    // The responses that every operation documents.\n',
    text: fixture('walk'),
  },
} as const satisfies Record<string, Insertion>
