/** Text that is put before a place in a file. */
interface Insertion {
  readonly file: string
  readonly place: string
  readonly text: string
}

/** An operation for the service of the guide: what a person writes for it, file by file. */
export const restart = {
  contract: {
    file: 'specs/weather-stations/openapi.yaml',
    place: '  /v1/stations/{station_id}/reading:\n',
    text: `  /v1/stations/{station_id}/restart:
    post:
      operationId: restartStation
      tags: [Stations]
      summary: Restarts a station
      description: Restarts a station, unless it restarts already.
      x-retry:
        class: unsent-only
      x-outcome:
        again: harmless
      parameters:
        - name: station_id
          in: path
          required: true
          description: The identifier of the station.
          schema:
            type: string
          examples:
            harbor:
              summary: As \`createStation\` returned it
              value: station-4c1d
      responses:
        '202':
          description: The station restarts.
          content:
            application/json:
              schema:
                $ref: '#/components/schemas/Station'
              examples:
                soon:
                  summary: The station that restarts
                  value:
                    id: station-4c1d
                    name: Harbor
        '401':
          $ref: '#/components/responses/Unauthorized'
        '409':
          description: The station restarts already.
          content:
            application/json:
              schema:
                $ref: '#/components/schemas/ErrorBody'
              examples:
                twice:
                  summary: A second restart
                  value:
                    message: The station restarts already.
        default:
          $ref: '#/components/responses/OtherError'
`,
  },
  handler: {
    file: 'packages/emulator/src/weather-stations/handlers/weather-stations.ts',
    place: '    getReading: {\n',
    text: `    restartStation: {
      handle({ parameters }) {
        const station = records.get(parameters['station_id'] ?? '')
        if (station === undefined) return refuse(choices, 'record-not-found')
        if (station['restarting'] === true)
          return { status: 409, json: { message: 'The station restarts already.' } }
        station['restarting'] = true
        return success(202, station, station)
      },
    },
`,
  },
  walk: {
    file: 'packages/weather-stations/contract/walk.ts',
    place: '    // The answers that every operation documents.\n',
    text: `    step('restartStation', '202', 'a restart', async (at) => at.call(await inputs.getReading(at))),
    step('restartStation', '409', 'a second restart', async (at) => {
      const station = await inputs.getReading(at)
      await at.call(station)
      await at.call(station)
    }),
    step('restartStation', '401', 'an invalid key', async (at) =>
      at.call(await inputs.getReading(at), { credentials: { apiKey: 'not-a-key' } }),
    ),
    step('restartStation', 'default', 'a fault that was asked for', async (at) => {
      control.faults.add({ kind: 'status', status: 500, operation: 'restartStation', body: {} })
      await at.call(await inputs.getReading(at))
    }),
`,
  },
} as const satisfies Record<string, Insertion>
