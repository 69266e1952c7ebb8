// Exports only the undici modules that make connection pools. All of undici, with its fetch, WebSocket, caches and
// mocks, takes twice as long to load. A test verifies the paths below. The build bundles these modules into one file.
// @ts-expect-error undici declares types only for the whole package.
export { default as Pool } from 'undici/lib/dispatcher/pool.js'
// @ts-expect-error As above.
export { default as Client } from 'undici/lib/dispatcher/client.js'
// @ts-expect-error As above.
export { default as buildConnector } from 'undici/lib/core/connect.js'
