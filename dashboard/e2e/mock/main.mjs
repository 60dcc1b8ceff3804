// `npm run mock`: the dashboard on a stand-in server, to look at and to develop against.
import { seed } from "./scripts.mjs";
import { Mock } from "./server.mjs";

const mock = await new Mock().start(Number(process.env.PORT ?? 0));
seed(mock);
console.log(`${mock.url}  user ${mock.user.username}, password ${mock.user.password}`);
