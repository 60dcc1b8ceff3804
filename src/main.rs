//! The command line.

#![expect(clippy::print_stdout, reason = "this is the command line; what it prints is its answer")]

use almagest::config::Config;
use almagest::ids::UserId;
use almagest::net::HttpClient;
use almagest::papers::parse::document::Engine;
use almagest::papers::parse::engines::Parsed;
use almagest::papers::parse::mineru::jobs::{Order, Rhythm};
use almagest::papers::parse::mineru::{self, FolderShelf, Jobs};
use almagest::papers::parse::worker::{Parser, work};
use almagest::papers::parse::{csv, evaluate};
use almagest::sandbox::Sandbox;
use almagest::sandbox::worker::{self, Stage};
use almagest::server::Server;
use almagest::store::Store;
use almagest::store::accounts::{Admission, User, UserRole};
use almagest::time::Timestamp;
use almagest::web::{auth::password, openapi};
use anyhow::{Context, bail};
use clap::{Parser as _, Subcommand};
use std::io::{BufRead, IsTerminal};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

/// A research desk for astronomers.
#[derive(clap::Parser)]
#[command(name = "almagest", version)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Subcommand)]
enum Command {
    /// Start the server (the default).
    Serve,
    /// Add users, change passwords, list users.
    #[command(subcommand)]
    User(UserCommand),
    /// Ask a running server whether it is well; exit code 0 when it is.
    Health,
    /// Print the OpenAPI document of the HTTP interface.
    #[command(hide = true)]
    Openapi,
    /// Turn a paper into Markdown on standard output; notes about it go to standard error.
    Parse {
        /// The file: a PDF, an HTML page of arXiv, ar5iv or a publisher, or LaTeX source (an archive or a .tex). Its content
        /// tells which.
        file: PathBuf,
        /// The engine, where the content leaves a choice: arxiv_html, ar5iv, publisher_html, latex, mineru, pdf.
        #[arg(long, value_parser = engine)]
        engine: Option<Engine>,
        /// A folder for the figures (PNG) and tables (CSV).
        #[arg(long)]
        assets: Option<PathBuf>,
    },
    /// Measure how well this build does.
    #[command(subcommand)]
    Eval(EvalCommand),
    /// The confined part of `parse`: the file on standard input.
    #[command(hide = true)]
    ParseWorker {
        /// What to do with it, as JSON.
        order: String,
    },
    /// A confined child process; the server starts it.
    #[command(hide = true)]
    ShellWorker {
        /// Which part of it.
        #[arg(long, value_enum, default_value_t)]
        stage: Stage,
    },
}

#[derive(Subcommand)]
enum EvalCommand {
    /// Parse all papers of a folder and score them: ID.truth.json with ID.pdf, ID.html or ID.latexml.html beside it.
    Parse {
        /// The folder.
        folder: PathBuf,
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
}

#[derive(Subcommand)]
enum UserCommand {
    /// Add a user; the password is asked for, or read as one line from standard input.
    Add {
        /// The name to log in with.
        username: String,
        /// Make them an administrator.
        #[arg(long)]
        admin: bool,
    },
    /// Change a user's password; ends all of their logins.
    Passwd {
        /// Whose password.
        username: String,
    },
    /// List all users.
    List,
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    // Before there is any other thread.
    if let Some(Command::ShellWorker { stage }) = cli.command {
        return worker::main(stage);
    }
    if let Some(Command::ParseWorker { order }) = &cli.command {
        return parse_worker(order);
    }
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            eprintln!("almagest: the system gives no threads: {error}");
            return ExitCode::FAILURE;
        }
    };
    match runtime.block_on(run(cli.command.unwrap_or(Command::Serve))) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("almagest: {error:#}");
            ExitCode::FAILURE
        }
    }
}

async fn run(command: Command) -> anyhow::Result<()> {
    match command {
        Command::Serve => serve(Config::load()?).await,
        Command::User(command) => user(&Config::load()?, command).await,
        Command::Health => health(&Config::load()?).await,
        Command::Openapi => {
            print!("{}", openapi::document()?);
            Ok(())
        }
        Command::Parse { file, engine, assets } => parse_file(&file, engine, assets.as_deref()).await,
        Command::Eval(EvalCommand::Parse { folder, json }) => {
            let (sandbox, parser) = parser()?;
            let report = evaluate::evaluate(&parser, &sandbox, &folder).await?;
            if json {
                println!("{}", serde_json::to_string(&report)?);
            } else {
                print!("{}", report.table());
            }
            Ok(())
        }
        Command::ParseWorker { .. } | Command::ShellWorker { .. } => bail!("the worker runs before anything else"),
    }
}

/// An engine by its name in the HTTP interface.
fn engine(name: &str) -> Result<Engine, String> {
    serde_json::from_value(serde_json::Value::String(name.to_owned()))
        .map_err(|_| "it is one of arxiv_html, ar5iv, publisher_html, latex, mineru, pdf".to_owned())
}

fn parser() -> anyhow::Result<(Sandbox, Parser)> {
    let binary = std::env::current_exe()?;
    let sandbox = Sandbox::new(binary.clone());
    Ok((sandbox.clone(), Parser::new(sandbox, binary)))
}

async fn parse_file(file: &Path, engine: Option<Engine>, assets: Option<&Path>) -> anyhow::Result<()> {
    let (_, parser) = parser()?;
    let parsed = match engine {
        Some(Engine::Mineru) => parse_by_mineru(&parser, file).await?,
        Some(_) | None => parser.parse(file, engine).await?,
    };
    if let Some(folder) = assets {
        write_assets(&parser, file, &parsed, folder).await?;
    }
    print!("{}", parsed.markdown);
    eprintln!("Read by the engine {:?}; completeness {:.2}.", parsed.engine, parsed.completeness.score);
    for reason in &parsed.completeness.reasons {
        eprintln!("- {reason}");
    }
    for trouble in &parsed.document.troubles {
        eprintln!("- {} x {}", trouble.count, trouble.what);
    }
    Ok(())
}

/// Has MinerU read a PDF, and waits for it. The job stands in the database: when this is ended, the same command, or the
/// server's next start, goes on with it.
async fn parse_by_mineru(parser: &Parser, file: &Path) -> anyhow::Result<Parsed> {
    let config = Config::load()?;
    let store = Store::open(&config.database()).await?;
    let shelf = Arc::new(FolderShelf::new(&config.data_dir));
    let readers = mineru::services(&HttpClient::new()?, &config.upstreams.mineru);
    let jobs = Jobs::new(store.clone(), readers, shelf.clone(), Rhythm::within(config.upstreams.mineru.deadline));
    let service = jobs.services().first().copied();
    let service = service.context(
        "MinerU is not set up: set MINERU_API_KEY for its cloud, or MINERU_API_URL for a server of your own",
    )?;
    let pages = parser.pages(file).await?;
    let bytes = tokio::fs::read(file).await.with_context(|| file.display().to_string())?;
    let (name, sha256) = shelf.put(bytes).await?;
    let job = jobs.start(Order { paper_id: None, service, file: name, sha256, pages: Some(pages) }).await?;
    jobs.recover().await?;
    jobs.idle().await;
    let bundle = jobs.result(job.id).await?;
    let lists = shelf.put_lists(&job.sha256, &bundle).await?;
    let parsed = parser.parse(&lists, Some(Engine::Mineru)).await?;
    store.close().await;
    Ok(parsed)
}

/// Writes figures and tables beside each other, by the names that the Markdown has for them.
async fn write_assets(parser: &Parser, file: &Path, parsed: &Parsed, folder: &Path) -> anyhow::Result<()> {
    let images = parsed.document.images();
    let places: Vec<_> = images.iter().filter_map(|image| image.place).collect();
    if !places.is_empty() && parsed.engine == Engine::Pdf {
        std::fs::create_dir_all(folder.join("figures"))?;
        let drawn = parser.cut(file, &places).await?;
        for (at, png) in drawn.into_iter().enumerate() {
            if let Some(png) = png {
                std::fs::write(folder.join(format!("figures/{}.png", at + 1)), png)?;
            }
        }
    }
    let tables = parsed.document.tables();
    if !tables.is_empty() {
        std::fs::create_dir_all(folder.join("tables"))?;
        for (at, table) in tables.into_iter().enumerate() {
            std::fs::write(folder.join(format!("tables/{}.csv", at + 1)), csv::write(table))?;
        }
    }
    Ok(())
}

fn parse_worker(order: &str) -> ExitCode {
    match work(order) {
        Ok(answer) => {
            use std::io::Write;
            // The server that reads this may have given up.
            let _ = std::io::stdout().lock().write_all(answer.as_bytes());
            ExitCode::SUCCESS
        }
        Err((code, why)) => {
            eprintln!("{why}");
            ExitCode::from(code)
        }
    }
}

async fn serve(config: Config) -> anyhow::Result<()> {
    let filter = tracing_subscriber::EnvFilter::try_new(&config.log)?;
    tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).init();
    let data_dir = config.data_dir.clone();
    let server = Server::start(config).await?;
    announce(&format!(
        "Almagest {} is at {} (data in {})",
        env!("CARGO_PKG_VERSION"),
        server.url()?,
        data_dir.display()
    ));
    if let Some(url) = server.setup_url()? {
        announce(&format!("There is no user yet. Make the first administrator here: {url}"));
    }
    if almagest::web::assets::DASHBOARD_MISSING.is_some() {
        tracing::warn!("this build has no dashboard; its page at the address above says why");
    }
    server.run(ended()).await?;
    Ok(())
}

/// Prints a line; that nobody reads standard output any more is no reason to end a server.
fn announce(line: &str) {
    use std::io::Write;
    let mut out = std::io::stdout().lock();
    let _ = writeln!(out, "{line}").and_then(|()| out.flush());
}

/// Ready when the process is asked to end.
async fn ended() {
    let interrupt = async {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    };
    #[cfg(unix)]
    let terminate = async {
        match tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate()) {
            Ok(mut signal) => {
                signal.recv().await;
            }
            Err(_) => std::future::pending().await,
        }
    };
    #[cfg(not(unix))]
    let terminate = std::future::pending::<()>();
    tokio::select! {
        () = interrupt => {}
        () = terminate => {}
    }
}

async fn user(config: &Config, command: UserCommand) -> anyhow::Result<()> {
    let store = Store::open(&config.database()).await?;
    match command {
        UserCommand::Add { username, admin } => {
            let secret = ask_password()?;
            password::check(&username, &secret).map_err(anyhow::Error::msg)?;
            let role = if admin { UserRole::Admin } else { UserRole::User };
            let password_hash = password::hash(secret).await?;
            let user = User {
                id: UserId::new(),
                username: username.clone(),
                password_hash,
                role,
                created_at: Timestamp::now(),
            };
            store.add_user(user, Admission::Always).await?;
            println!("Added {username}.");
        }
        UserCommand::Passwd { username } => {
            let Some(user) = store.user_by_name(&username).await? else {
                bail!("there is no user `{username}`; `almagest user list` shows all of them");
            };
            let secret = ask_password()?;
            password::check(&username, &secret).map_err(anyhow::Error::msg)?;
            store.set_password(user.id, password::hash(secret).await?).await?;
            println!("Changed the password of {username}; their logins have ended.");
        }
        UserCommand::List => {
            for user in store.users().await? {
                let role = match user.role {
                    UserRole::Admin => "admin",
                    UserRole::User => "user",
                };
                println!("{}\t{role}\tsince {}", user.username, user.created_at);
            }
        }
    }
    store.close().await;
    Ok(())
}

/// Asks twice on a terminal, reads one line otherwise.
fn ask_password() -> anyhow::Result<String> {
    let input = std::io::stdin();
    if !input.is_terminal() {
        let mut line = String::new();
        input.lock().read_line(&mut line).context("no password on standard input")?;
        return Ok(line.trim_end_matches(['\r', '\n']).to_owned());
    }
    let first = rpassword::prompt_password("Password: ")?;
    if rpassword::prompt_password("The same again: ")? != first {
        bail!("the two passwords differ; nothing was changed");
    }
    Ok(first)
}

/// Asks over the loopback, by hand: a health check needs no HTTP client.
async fn health(config: &Config) -> anyhow::Result<()> {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    let mut address = config.addr;
    if address.ip().is_unspecified() {
        address.set_ip(std::net::Ipv4Addr::LOCALHOST.into());
    }
    let ask = async {
        let mut stream = tokio::net::TcpStream::connect(address).await?;
        let request =
            format!("GET /api/health HTTP/1.1\r\nHost: localhost:{}\r\nConnection: close\r\n\r\n", address.port());
        stream.write_all(request.as_bytes()).await?;
        let mut answer = String::new();
        stream.take(64 * 1024).read_to_string(&mut answer).await?;
        anyhow::Ok(answer)
    };
    let limit = std::time::Duration::from_secs(5);
    let answer = tokio::time::timeout(limit, ask)
        .await
        .with_context(|| format!("{address} did not answer within 5 s"))?
        .with_context(|| format!("no Almagest answers at {address}"))?;
    let (head, body) = answer.split_once("\r\n\r\n").unwrap_or((&answer, ""));
    println!("{}", body.trim());
    if head.split_whitespace().nth(1) != Some("200") {
        bail!("the server at {address} is not well");
    }
    Ok(())
}
