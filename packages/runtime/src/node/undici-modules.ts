// The undici modules that make connection pools. The whole package includes fetch, WebSocket, caches and mocks, and
// takes twice as long to load. A test verifies the paths of these modules. The build puts the modules into one file,
// which is loaded with the first request.
// @ts-expect-error undici declares types only for the whole package.
export { default as Pool } from 'undici/lib/dispatcher/pool.js'
// @ts-expect-error As above.
export { default as Client } from 'undici/lib/dispatcher/client.js'
// @ts-expect-error As above.
export { default as buildConnector } from 'undici/lib/core/connect.js'
