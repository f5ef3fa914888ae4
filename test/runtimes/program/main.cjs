const sdk = {
  root: require('identity-service-sdk'),
  emulator: require('identity-service-sdk/emulator'),
  errors: require('identity-service-sdk'),
  oidc: require('identity-service-sdk'),
  webhooks: require('identity-service-sdk/webhooks'),
}

Promise.all([import('./app.mjs'), import('./report.mjs')]).then(async ([{ createApp }, { report }]) => {
  const app = createApp(sdk, JSON.parse(process.argv[2] ?? ''))
  console.log(JSON.stringify(await report(app)))
})
