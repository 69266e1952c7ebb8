// Responses of a team's mocks, for describeContract.
module.exports = {
  spec: 'extraction',
  responses: [
    { operation: 'listBlueprints', status: 200, body: { blueprints: [] } },
    { operation: 'getJob', status: 404, name: 'no such job', body: { detail: 'Unknown.' } },
  ],
}
