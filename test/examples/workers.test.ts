import { hostedVerificationRules } from './hosted-verification.ts'
import { describeInstalled } from './program.ts'
import { signInAndBegin } from './sign-in-first.ts'

describeInstalled('workers', () => {
  hostedVerificationRules({
    folder: 'workers',
    command: ['node', '--import', 'tsx', 'serve.ts'],
    begin: signInAndBegin,
    outcomePath: () => '/me',
  })
})
