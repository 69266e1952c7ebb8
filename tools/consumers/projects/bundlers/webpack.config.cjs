const shared = { mode: 'production', performance: { hints: false } }

module.exports = [
  {
    ...shared,
    name: 'node',
    target: 'node22',
    entry: './app.js',
    output: { path: `${__dirname}/out`, filename: 'webpack.cjs' },
  },
  {
    ...shared,
    name: 'extract',
    target: 'node22',
    entry: './extract.js',
    output: { path: `${__dirname}/out`, filename: 'webpack-extract.cjs' },
  },
  {
    ...shared,
    name: 'page',
    target: 'web',
    entry: './page.js',
    output: { path: `${__dirname}/out/page`, filename: 'webpack.js' },
  },
]
