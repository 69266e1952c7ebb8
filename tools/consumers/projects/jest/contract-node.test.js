const { describeContract } = require('@concord/contract')

// Makes tests with the globals of jest: one for each operation and status, and one that something was judged.
describeContract({
  spec: 'extraction',
  answers: [
    { operation: 'listBlueprints', status: 200, body: { blueprints: [] } },
    { operation: 'getJob', status: 404, name: 'no such job', body: { detail: 'Unknown.' } },
  ],
})
